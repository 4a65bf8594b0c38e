/** Counts kept beside sessions and insights: what totals are answered from without reading what they count. */

import { addTo, type Change, type SumTable } from "../db/counters.ts";
import { dayOf } from "../db/days.ts";
import type { Db, SessionRow } from "../db/schema.ts";

/** What of a session decides where it is counted. */
export type Counted = Pick<
  SessionRow,
  "game_id" | "account_id" | "build" | "environment" | "status" | "source" | "recorded_at"
>;

/** Counts a session that is new, and its device where the game has not seen it. */
export async function countNewSession(
  db: Db,
  session: Counted & Pick<SessionRow, "device_id">,
): Promise<void> {
  await addToSessions(db, [sessionChange(session, 1)]);
  const { game_id, device_id } = session;
  if (device_id === null) return;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("game_devices")
    .values({ game_id, device_id })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows) await addTo(db, "game_counts", [{ row: { game_id }, by: 1 }]);
}

/** What of a session that is there may change: the place of its count with it. */
const changeable = ["status", "source", "build", "environment", "recorded_at"] as const;

/** Moves a session from where it was counted to where it is counted now. */
export async function countChange(db: Db, before: Counted, changed: Partial<SessionRow>): Promise<void> {
  if (changeable.every((column) => (changed[column] ?? before[column]) === before[column])) return;
  await addToSessions(db, [sessionChange(before, -1), sessionChange({ ...before, ...changed }, 1)]);
}

const sessionChange = (row: Counted, by: number): Change => ({
  row: { ...row, day: dayOf(row.recorded_at) },
  by,
});

const sessionTallies: readonly SumTable[] = [
  "session_counts",
  "account_session_counts",
  "account_session_day_counts",
];

async function addToSessions(db: Db, changes: readonly Change[]): Promise<void> {
  for (const table of sessionTallies) await addTo(db, table, changes);
}
