/** Demo play of two games, the same for every studio and every hour, told as telemetry bodies. */
import { HOUR_MS } from "../shared/time-units.ts";
import { type DemoBody, sessionBodies } from "./bodies.ts";
import { emberSessions } from "./ember.ts";
import { tidepoolSessions } from "./tidepool.ts";

export type { DemoBody } from "./bodies.ts";
export { demoCohort, demoExperiment } from "./cohort.ts";
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
  /** How many days before `now` the game was created: before its first session. */
  readonly createdDaysAgo: number;
}

export const demoGames: readonly DemoGame[] = [
  { slug: "ember", name: "Ember Hollow", createdDaysAgo: 45 },
  { slug: "tidepool", name: "Tidepool", createdDaysAgo: 30 },
];

/**
 * The bodies to send to `POST /api/telemetry`, session after session, oldest first; several of one session follow
 * each other.
 *
 * `now` is unix ms and counts to the full UTC hour: within an hour the bodies are identical, from one hour to another
 * only their times differ. No event is later than that hour.
 */
export function* demoTelemetry(now: number): Generator<DemoBody> {
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  const sessions = [...emberSessions(), ...tidepoolSessions()];
  for (const session of sessions.sort((one, other) => other.startsAgo - one.startsAgo)) {
    yield* sessionBodies(session, hour - session.startsAgo);
  }
}
