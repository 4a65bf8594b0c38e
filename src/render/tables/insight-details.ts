/** One insight as labels and values, with the events behind it. */
import type { EvidenceEvent, InsightEvidence } from "../../contract/insight-evidence.ts";
import { sentimentTone } from "../../contract/insights.ts";
import type { TableColumn } from "../columns.ts";
import type { Detail } from "../details.ts";
import { formatStrength } from "../numbers.ts";
import type { RenderOptions } from "../options.ts";
import { formatTime } from "../time.ts";
import { defineColumns } from "./columns.ts";
import { evidenceEventColumns } from "./session-events.ts";

/** The title of the quotes of an insight, and of a quote that answers no question. */
export const QUOTES_TITLE = "Words of the tester";
export const UNASKED = "Quoted";

/** What the insight states, and where it was found. */
export function insightDetails(
  { insight, build, environment, recordedAt, tester, prunedAt }: InsightEvidence,
  options: RenderOptions,
): Detail[] {
  return [
    ["Insight", insight.title ?? insight.type, sentimentTone(insight.sentiment)],
    ["ID", insight.id],
    ["Tag", insight.tag ?? null],
    ["Strength", formatStrength(insight.confidence)],
    ["Evidence", insight.evidence],
    ["Tester", tester.handle ?? tester.deviceId ?? null],
    ["Session", insight.sessionId],
    ["Build", build],
    ["Environment", environment],
    ["Recorded", formatTime(recordedAt, options)],
    ["Found", formatTime(insight.createdAt, options)],
    ...(prunedAt == null
      ? []
      : [["Events", `removed ${formatTime(prunedAt, options)} by retention`] as const]),
  ];
}

/** The columns of the events, with their session if some are of another one. */
export function selectEventColumns({ events, insight }: InsightEvidence): TableColumn<EvidenceEvent>[] {
  const isOwn = events.every(({ sessionId }) => sessionId === insight.sessionId);
  return isOwn
    ? [...evidenceEventColumns]
    : [...evidenceEventColumns, ...defineColumns<EvidenceEvent>({ sessionId: { header: "SESSION" } })];
}

/** Which events the table does not show; empty if it shows all. */
export function describeEvents({ events, eventCount, missingEvents }: InsightEvidence): string[] {
  const readable = eventCount - missingEvents;
  return [
    ...(readable > events.length ? [`Showing the first ${events.length} of ${readable} events.`] : []),
    ...(missingEvents > 0 ? [`${missingEvents} of ${eventCount} events can no longer be read.`] : []),
  ];
}
