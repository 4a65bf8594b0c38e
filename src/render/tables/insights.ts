/** The evidence of insights as tables show it. */
import type { InsightEvidence } from "../../contract/insight-evidence.ts";
import { type Insight, type InsightItem, insights } from "../../contract/insights.ts";
import type { TableColumn } from "../columns.ts";
import { defineColumns, toColumns } from "./columns.ts";
import { formatMoment } from "./event-text.ts";

const insightColumns: readonly TableColumn<InsightItem>[] = toColumns(insights);

const pick = (key: string) => insightColumns.filter((column) => column.key === key);

/** The width up to which a tag is never truncated, so that it can be copied. */
export const TAG_WIDTH = 33;

/** Columns of a list of insights at a terminal: where and when the problem showed, and in which session. */
export const listedInsightColumns: readonly TableColumn<InsightItem>[] = [
  ...defineColumns<InsightItem>({
    build: { header: "BUILD", kind: "build", shrink: 2, groups: true },
    room: { header: "ROOM", shrink: 2, groups: true, yields: true },
    sessionId: { header: "SESSION", kind: "id" },
    activeSec: { header: "AT", align: "right", format: ({ activeSec }) => formatMoment(Number(activeSec)) },
  }),
  ...pick("tag").map(({ dropsConstant: _, ...column }) => ({ ...column, shrink: 1, minWidth: TAG_WIDTH })),
  ...pick("id").map((column) => ({ ...column, yields: true as const })),
  ...defineColumns<InsightItem>({
    environment: { header: "ENV", wide: true },
    recordedAt: { header: "PLAYED", kind: "time", wide: true },
  }),
  ...["type", "confidence", "sentiment", "createdAt"]
    .flatMap(pick)
    .map((column) => ({ ...column, wide: true as const })),
  ...pick("title"),
];

/** Columns of an insight within its session, with the evidence. */
export const evidenceColumns: readonly TableColumn<Insight>[] = [
  ...insightColumns.filter(({ key }) => ["type", "title", "tag", "confidence"].includes(key)),
  { key: "evidence", header: "EVIDENCE", value: ({ evidence }) => evidence, shrink: 1 },
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
