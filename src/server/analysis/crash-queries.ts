/** Reads the sessions with crash events, and the sessions that crashed. */

import { DAY_MS } from "../../shared/time-units.ts";
import { countRows, readInParts } from "../db/rows.ts";
import type { Db, SessionRow } from "../db/schema.ts";
import { findDaysWithEvents } from "../sessions/event-sum-queries.ts";
import { type SessionScope, selectSessions } from "../sessions/scope-queries.ts";

/** The columns of a session that crashes are read from and counted by. */
export type CrashSession = Pick<SessionRow, (typeof columns)[number]>;

const columns = [
  ...(["game_id", "id", "build", "environment", "tester", "recorded_at", "next_batch"] as const),
  ...(["events_pruned_at", "event_counts"] as const),
] as const;

/** The number of testers who played. A session without a device counts as its own tester. */
export async function countTestersInScope(db: Db, filter: SessionScope): Promise<number> {
  const { testers } = await selectSessions(db, filter)
    .select((eb) => eb.fn.count<number>("tester").distinct().as("testers"))
    .executeTakeFirstOrThrow();
  return Number(testers);
}

/** The sessions that contain events of these names: the newest ones, at most `limit`, and the number of all. */
export async function findSessionsWithEvents(
  db: Db,
  filter: SessionScope,
  names: readonly string[],
  limit: number,
): Promise<{ sessions: CrashSession[]; total: number }> {
  // Only sessions of the days with such events must be searched.
  const { gameId, build, environment } = filter;
  const scope = { gameId, build, environment: environment === "all" ? undefined : environment };
  const days = names.length === 0 ? null : await findDaysWithEvents(db, scope, names);
  if (days === null) return { sessions: [], total: 0 };
  const matching = selectSessions(db, filter)
    .where("recorded_at", ">=", days.first * DAY_MS)
    .where("recorded_at", "<", (days.last + 1) * DAY_MS)
    .where((eb) =>
      eb.or(
        names.map((name) =>
          eb(eb.fn<number>("instr", ["event_counts", eb.val(JSON.stringify(name))]), ">", 0),
        ),
      ),
    );
  const sessions = await matching
    .select(columns)
    .orderBy("recorded_at", "desc")
    .orderBy("id")
    .limit(limit)
    .execute();
  if (sessions.length < limit) return { sessions, total: sessions.length };
  return { sessions, total: await countRows(matching) };
}

/** The sessions that contain reports of crashes of the sessions that match: the newest ones, at most `limit`. */
export async function findReportingSessions(db: Db, filter: SessionScope, limit: number) {
  return await db
    .selectFrom("sessions")
    .select(columns)
    .where("game_id", "=", filter.gameId)
    .where("id", "in", (eb) =>
      eb
        .selectFrom("crash_reports")
        .select("crash_reports.session_id")
        .where("crash_reports.game_id", "=", filter.gameId)
        .where("crash_reports.crashed_session_id", "in", selectSessions(db, filter).select("id")),
    )
    .orderBy("recorded_at", "desc")
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Which session each event of these sessions says has crashed. */
export async function findCrashedSessions(db: Db, gameId: string, sessionIds: readonly string[]) {
  return await readInParts(sessionIds, (part) =>
    db
      .selectFrom("crash_reports")
      .select(["session_id", "event_id", "crashed_session_id"])
      .where("game_id", "=", gameId)
      .where("session_id", "in", part)
      .execute(),
  );
}

export async function findSessionsById(db: Db, gameId: string, ids: readonly string[]) {
  return await readInParts(ids, (part) =>
    db.selectFrom("sessions").select(columns).where("game_id", "=", gameId).where("id", "in", part).execute(),
  );
}
