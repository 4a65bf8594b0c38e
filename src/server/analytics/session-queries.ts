/** Reads the sessions of a build or a game, and which testers came back after them. */
import { readInParts } from "../db/rows.ts";
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

/** When each of these devices played last, in any build of the game; unix ms. */
export async function readLastPlayed(
  db: Db,
  { gameId, environment }: Pick<SessionScope, "gameId" | "environment">,
  devices: readonly string[],
): Promise<Map<string, number>> {
  const rows = await readInParts(devices, (part) =>
    db
      .selectFrom("sessions")
      .select((eb) => ["device_id", eb.fn.max("recorded_at").as("last")])
      .where("game_id", "=", gameId)
      .where("device_id", "in", part)
      .$if(environment !== "all", (query) => query.where("environment", "=", environment))
      .groupBy("device_id")
      .execute(),
  );
  return new Map(
    rows.flatMap(({ device_id, last }) => (device_id === null ? [] : [[device_id, Number(last)]])),
  );
}

/** The sessions of these whose crash a later session reported. */
export async function findReportedCrashes(
  db: Db,
  gameId: string,
  sessionIds: readonly string[],
): Promise<Set<string>> {
  const rows = await readInParts(sessionIds, (part) =>
    db
      .selectFrom("crash_reports")
      .select("crashed_session_id")
      .distinct()
      .where("game_id", "=", gameId)
      .where("crashed_session_id", "in", part)
      .execute(),
  );
  return new Set(rows.flatMap(({ crashed_session_id }) => crashed_session_id ?? []));
}

/** The maximum number of events and of sessions that one request reads. */
export const MAX_READ_EVENTS = 1_000_000;
export const MAX_READ_SESSIONS = 10_000;

/** The number of stored events of a session. */
export function countEvents({ event_counts }: Pick<ScopedSession, "event_counts">): number {
  return Object.values(JSON.parse(event_counts) as Record<string, number>).reduce((sum, n) => sum + n, 0);
}

/** Selects sessions in the given order until their events reach the limit. The first one is always selected. */
export function selectWithinLimit<S extends Pick<ScopedSession, "event_counts">>(
  sessions: readonly S[],
  maxEvents = MAX_READ_EVENTS,
): { readonly selected: readonly S[]; readonly skipped: number } {
  let events = 0;
  const end = sessions.findIndex((session, at) => {
    events += countEvents(session);
    return at >= MAX_READ_SESSIONS || (at > 0 && events > maxEvents);
  });
  const selected = end === -1 ? sessions : sessions.slice(0, end);
  return { selected, skipped: sessions.length - selected.length };
}
