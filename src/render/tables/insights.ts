/** Table columns of insights. */
import type { InsightEvidence } from "../../contract/insight-evidence.ts";
import type { Insight, InsightItem } from "../../contract/insights.ts";
import type { TableColumn } from "../columns.ts";
import { formatStrength } from "../numbers.ts";
import type { Style } from "../style.ts";
import { groupColumn, idColumn, textColumn, timeColumn, wideColumn } from "./columns.ts";

export function sentimentStyle(sentiment: string): Style {
  if (sentiment === "positive") return "good";
  return sentiment === "negative" ? "bad" : "muted";
}

/** Shown instead of a list without insights. */
export const NO_INSIGHTS_MATCH = "No insights match. Omit a filter to see more.";

export const insightColumns: readonly TableColumn<InsightItem>[] = [
  // The tag begins with the type.
  wideColumn({
    ...textColumn<InsightItem>("type", "TYPE", (insight) => insight.type),
    style: (insight) => sentimentStyle(insight.sentiment),
  }),
  {
    ...textColumn<InsightItem>("title", "TITLE", (insight) => insight.title ?? null, 3),
    minWidth: 16,
    last: true,
  },
  groupColumn(textColumn("tag", "TAG", (insight) => insight.tag ?? null, 2)),
  {
    key: "confidence",
    header: "STRENGTH",
    value: (insight) => insight.confidence,
    format: (strength) => formatStrength(Number(strength)),
  },
  idColumn("id", "ID", (insight) => insight.id),
  wideColumn(timeColumn("createdAt", "FOUND", (insight) => insight.createdAt)),
  wideColumn(textColumn("sentiment", "SENTIMENT", (insight) => insight.sentiment)),
  wideColumn(textColumn("sessionId", "SESSION", (insight) => insight.sessionId)),
];

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
  if (prunedAt != null) return "Retention removed the events of this session.";
  return "The events that the insight refers to cannot be read.";
}
