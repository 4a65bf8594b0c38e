/** Reads the sessions of a build or a game. */
import type { Db } from "../db/schema.ts";
import { type SessionScope, selectSessions } from "../sessions/scope-queries.ts";

/** What statistics need of a session. */
export type ScopedSession = Awaited<ReturnType<typeof readScopedSessions>>[number];

/** All sessions of the scope, the newest first. */
export async function readScopedSessions(db: Db, scope: SessionScope) {
  return await selectSessions(db, scope)
    .select(["id", "build", "tester", "device_id", "client_session_id", "status", "recorded_at"])
    .select(["clock_shift", "next_batch", "event_counts", "events_pruned_at"])
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
