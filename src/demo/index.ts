/** Demo data of two games as telemetry bodies. The data is deterministic except for the day of its timestamps. */
import { type DemoBody, sessionBodies } from "./bodies.ts";
import { findDemoTime } from "./demo-time.ts";
import { emberSessions } from "./ember.ts";
import { tidepoolSessions } from "./tidepool.ts";

export type { DemoBody } from "./bodies.ts";
export { type CohortSession, demoCohort, demoExperiment } from "./cohort.ts";
export { findDemoTime } from "./demo-time.ts";
export type { DemoEvent } from "./recorder.ts";
export {
  type DemoBatch,
  type DemoForm,
  demoAnswers,
  demoBatches,
  demoEventFlags,
  demoForms,
  demoThreads,
} from "./studio.ts";

export interface DemoGame {
  readonly slug: string;
  readonly name: string;
  /** When the game was created, in days before the demo time. This is before its first session. */
  readonly createdDaysAgo: number;
}

export const demoGames: readonly DemoGame[] = [
  { slug: "ember", name: "Ember Hollow", createdDaysAgo: 45 },
  { slug: "tidepool", name: "Tidepool", createdDaysAgo: 30 },
];

/**
 * The bodies to send to `POST /api/telemetry`, oldest session first. All bodies of one session are consecutive.
 *
 * `now` is unix ms. The bodies are identical at every hour of a UTC day, and between days only their timestamps differ. All
 * sessions have ended by the start of the day, also those whose end was never sent.
 */
export function* demoTelemetry(now: number): Generator<DemoBody> {
  const sessions = [...emberSessions(), ...tidepoolSessions()];
  for (const session of sessions.sort((a, b) => b.startsAgo - a.startsAgo)) {
    yield* sessionBodies(session, findDemoTime(now) - session.startsAgo);
  }
}
