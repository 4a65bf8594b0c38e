/** Reads the sessions of a build or a game. */
import type { Db, SessionRow } from "../db/schema.ts";

/** The sessions that a statistic is about. */
export interface SessionScope {
  readonly gameId: string;
  readonly build?: string | undefined;
  /** The environment, or `all`. */
  readonly environment: string;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** What statistics need of a session. */
export type ScopedSession = Pick<
  SessionRow,
  | "id"
  | "build"
  | "tester"
  | "device_id"
  | "client_session_id"
  | "status"
  | "recorded_at"
  | "clock_shift"
  | "next_batch"
  | "event_counts"
  | "events_pruned_at"
>;

/** All sessions of the scope, the newest first. */
export async function readScopedSessions(db: Db, scope: SessionScope): Promise<ScopedSession[]> {
  const { gameId, build, environment, from, to } = scope;
  return await db
    .selectFrom("sessions")
    .select(["id", "build", "tester", "device_id", "client_session_id", "status", "recorded_at"])
    .select(["clock_shift", "next_batch", "event_counts", "events_pruned_at"])
    .where("game_id", "=", gameId)
    .$if(build !== undefined, (query) => query.where("build", "=", build ?? ""))
    .$if(environment !== "all", (query) => query.where("environment", "=", environment))
    .$if(from !== undefined, (query) => query.where("recorded_at", ">=", from ?? 0))
    .$if(to !== undefined, (query) => query.where("recorded_at", "<=", to ?? 0))
    .orderBy("recorded_at", "desc")
    .orderBy("id", "desc")
    .execute();
}

/** The maximum number of events and of sessions that one request reads. */
export const MAX_READ_EVENTS = 1_000_000;
export const MAX_READ_SESSIONS = 10_000;

/** The number of stored events of a session. */
export function countEvents({ event_counts }: Pick<ScopedSession, "event_counts">): number {
  return Object.values(JSON.parse(event_counts) as Record<string, number>).reduce((sum, n) => sum + n, 0);
}
