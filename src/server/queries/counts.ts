/** Counts kept beside sessions and insights: what totals are answered from without reading what they count. */
import type { Db, InsightRow, SessionRow } from "../db/schema.ts";
import { addTo, type Change, type SumTable } from "../db/sums.ts";
import { dayOf, type Range, splitDays } from "./days.ts";
import { type Narrow, sumOf } from "./tallies.ts";

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

/** What of an insight decides where it is counted. */
type CountedInsight = Pick<
  InsightRow,
  "game_id" | "account_id" | "build" | "type" | "sentiment" | "created_at"
>;

const insightTallies: readonly SumTable[] = [
  "insight_counts",
  "account_insight_counts",
  "insight_day_counts",
  "account_insight_day_counts",
];

/** Adds insights to the counts, or with -1 takes them away. */
export async function countInsightRows(db: Db, rows: readonly CountedInsight[], by: 1 | -1): Promise<void> {
  const changes = rows.map((row) => ({ row: { ...row, day: dayOf(row.created_at) }, by }));
  for (const table of insightTallies) await addTo(db, table, changes);
}

/**
 * How many match a range: summed from kept counts over the days that lie whole in it, and counted row by row on the days
 * that it cuts, and where no count is kept of what narrows it. `countRows` counts those of a part.
 */
export async function countWithin(
  db: Db,
  counted: "session" | "insight",
  narrow: Omit<Narrow, "days">,
  range: Range,
  countRows: (part: Range) => Promise<number>,
): Promise<number> {
  const isBound = range.from !== undefined || range.to !== undefined;
  const { days, parts } = isBound ? splitDays(range) : { days: undefined, parts: [] };
  const whole = days === null ? null : await sumOf(db, counted, { ...narrow, days });
  if (whole === null) return await countRows(range);
  let total = whole;
  for (const part of parts) total += await countRows(part);
  return total;
}

/** How much play a game has. */
export async function countPlay(db: Db, gameId: string) {
  const sessions = await db
    .selectFrom("session_counts")
    .select((eb) => [
      eb.fn.sum<number | null>("sessions").as("sessions"),
      eb.fn.count<number>("build").distinct().as("builds"),
    ])
    .where("game_id", "=", gameId)
    .executeTakeFirstOrThrow();
  const game = await db
    .selectFrom("game_counts")
    .select("devices")
    .where("game_id", "=", gameId)
    .executeTakeFirst();
  return {
    sessionCount: Number(sessions.sessions ?? 0),
    buildCount: Number(sessions.builds),
    testerCount: Number(game?.devices ?? 0),
  };
}
