/** The evidence of insights as tables show it. */
import type { InsightEvidence } from "../../contract/insight-evidence.ts";
import { type Insight, type InsightItem, insights } from "../../contract/insights.ts";
import type { TableColumn } from "../columns.ts";
import { buildColumn, groupColumn, idColumn, textColumn, timeColumn, wideColumn } from "./columns.ts";
import { formatMoment } from "./event-text.ts";
import { toColumns } from "./resource-columns.ts";

const insightColumns: readonly TableColumn<InsightItem>[] = toColumns(insights);

const pick = (key: string) => insightColumns.filter((column) => column.key === key);

/** The width up to which a tag is never truncated, so that it can be copied. */
const TAG_WIDTH = 33;

/** The column of a tag, which other columns make way for. */
export const keepTag = <T>({ dropsConstant: _drops, ...column }: TableColumn<T>): TableColumn<T> => ({
  ...{ ...column, shrink: 1, minWidth: TAG_WIDTH },
});

/** Columns of a list of insights at a terminal: where and when the problem showed, and in which session. */
export const listedInsightColumns: readonly TableColumn<InsightItem>[] = [
  groupColumn(buildColumn(({ build }) => build)),
  { ...groupColumn(textColumn("room", "ROOM", ({ room }) => room ?? null, 2)), yields: true },
  idColumn("sessionId", "SESSION", ({ sessionId }) => sessionId),
  {
    ...{ key: "activeSec", header: "AT", align: "right", value: ({ activeSec }) => activeSec ?? null },
    format: (seconds) => formatMoment(Number(seconds)),
  },
  ...pick("tag").map(keepTag),
  ...pick("id").map((column) => ({ ...column, yields: true as const })),
  wideColumn(textColumn("environment", "ENV", ({ environment }) => environment ?? null)),
  wideColumn(timeColumn("recordedAt", "PLAYED", ({ recordedAt }) => recordedAt ?? null)),
  ...["type", "confidence", "sentiment", "createdAt"].flatMap(pick).map(wideColumn),
  ...pick("title"),
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
  if (prunedAt != null) return "Pruning removed the events of this session.";
  return "The events that the insight refers to cannot be read.";
}
