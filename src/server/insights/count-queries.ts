/** Counters of insights, updated in the transaction that writes them. */
import { frictionTypes } from "../../contract/insights.ts";
import { addToBuildCounts } from "../db/build-counters.ts";
import { addTesterFacts } from "../db/build-testers.ts";
import { addToCounter, type CounterTable } from "../db/counters.ts";
import { toEpochDay } from "../db/days.ts";
import type { Db, InsightRow } from "../db/schema.ts";

/** The columns of an insight that determine its counters. */
type CountedInsight = Pick<
  InsightRow,
  "game_id" | "account_id" | "build" | "environment" | "tester" | "type" | "sentiment" | "tag" | "created_at"
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
  for (const row of rows.filter(({ type }) => friction.has(type))) {
    await addToBuildCounts(db, row, [{ kind: "insights", name: row.tag, amount: 1 }], by);
    await addTesterFacts(db, row, [{ kind: "tag", name: row.tag }], by);
  }
}

const friction: ReadonlySet<string> = new Set(frictionTypes);
