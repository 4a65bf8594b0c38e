/** Counters of insights, updated in the transaction that writes them. */
import { addToCounter, type CounterTable } from "../db/counters.ts";
import { toEpochDay } from "../db/days.ts";
import type { Db, InsightRow } from "../db/schema.ts";

/** The columns of an insight that determine its counters. */
type CountedInsight = Pick<
  InsightRow,
  "game_id" | "account_id" | "build" | "type" | "sentiment" | "created_at"
>;
const insightCounters: readonly CounterTable[] = [
  "insight_counts",
  "account_insight_counts",
  "insight_day_counts",
  "account_insight_day_counts",
];

/** Adds insights to the counters, or subtracts them with -1. */
export async function updateInsightCounters(
  db: Db,
  rows: readonly CountedInsight[],
  by: 1 | -1,
): Promise<void> {
  const changes = rows.map((row) => ({ row: { ...row, day: toEpochDay(row.created_at) }, by }));
  for (const table of insightCounters) await addToCounter(db, table, changes);
}
