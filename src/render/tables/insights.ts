/** The evidence of insights as tables show it. */
import type { InsightEvidence } from "../../contract/insight-evidence.ts";
import { type Insight, type InsightItem, insights } from "../../contract/insights.ts";
import type { TableColumn } from "../columns.ts";
import { textColumn } from "./columns.ts";
import { toColumns } from "./resource-columns.ts";

export const insightColumns: readonly TableColumn<InsightItem>[] = toColumns(insights);

/** Columns of an insight within its session, with the evidence. */
export const evidenceColumns: readonly TableColumn<Insight>[] = [
  ...insightColumns.filter(({ key }) => ["type", "title", "tag", "confidence"].includes(key)),
  textColumn("evidence", "EVIDENCE", (insight) => insight.evidence, 1),
];

/** Why no events are shown. */
export function describeNoEvents({ eventCount, prunedAt, quotes }: InsightEvidence): string {
  if (eventCount === 0)
    return quotes.length > 0
      ? "The insight is based on the words of the tester, not on events."
      : "The insight refers to no single events.";
  if (prunedAt != null) return "Pruning removed the events of this session.";
  return "The events that the insight refers to cannot be read.";
}
