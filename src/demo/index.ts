/** Demo data of two games as telemetry bodies. The data is deterministic except for its timestamps. */
import { HOUR_MS } from "../shared/time-units.ts";
import { type DemoBody, sessionBodies } from "./bodies.ts";
import { emberSessions } from "./ember.ts";
import { tidepoolSessions } from "./tidepool.ts";

export type { DemoBody } from "./bodies.ts";
export { type CohortSession, demoCohort, demoExperiment } from "./cohort.ts";
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

/** A game of the demo studio. */
export interface DemoGame {
  readonly slug: string;
  readonly name: string;
  /** When the game was created, in days before `now`. This is before its first session. */
  readonly createdDaysAgo: number;
}

export const demoGames: readonly DemoGame[] = [
  { slug: "ember", name: "Ember Hollow", createdDaysAgo: 45 },
  { slug: "tidepool", name: "Tidepool", createdDaysAgo: 30 },
];

/**
 * The bodies to send to `POST /api/telemetry`, oldest session first. All bodies of one session are consecutive.
 *
 * `now` is unix ms and is rounded down to the full UTC hour. The bodies are identical within an hour, and between hours
 * only their timestamps differ. No event is later than that hour.
 */
export function* demoTelemetry(now: number): Generator<DemoBody> {
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  const sessions = [...emberSessions(), ...tidepoolSessions()];
  for (const session of sessions.sort((a, b) => b.startsAgo - a.startsAgo)) {
    yield* sessionBodies(session, hour - session.startsAgo);
  }
}
