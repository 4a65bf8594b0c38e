/** The terminal view of an insight: what it states, the events behind it, and the words of the tester. */
import type { EvidenceEvent, InsightEvidence } from "../../../contract/insight-evidence.ts";
import { renderDetails } from "../../../render/details.ts";
import { formatStrength } from "../../../render/numbers.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { textColumn } from "../../../render/tables/columns.ts";
import { describeNoEvents, sentimentStyle } from "../../../render/tables/insights.ts";
import { evidenceEventColumns } from "../../../render/tables/session-events.ts";
import { formatTime } from "../../../render/time.ts";

/** Renders the view; it ends in a line feed. */
export function insightView(data: InsightEvidence, options: RenderOptions): string {
  const parts = [renderInsight(data, options), renderQuotes(data, options), renderEvents(data, options)];
  return parts.filter((part) => part !== "").join("\n");
}

function renderInsight(
  { insight, build, environment, recordedAt, tester, prunedAt }: InsightEvidence,
  options: RenderOptions,
): string {
  return renderDetails(
    [
      ["Insight", insight.title ?? insight.type, sentimentStyle(insight.sentiment)],
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
    ],
    options,
  );
}

function renderQuotes({ quotes }: InsightEvidence, options: RenderOptions): string {
  if (quotes.length === 0) return "";
  const lines = quotes.flatMap(({ id, question, text }) => [
    ...renderParagraph(`${question ?? "Quoted"} (${id})`, "  ", options),
    ...renderParagraph(text, "    ", options),
  ]);
  return `${[painter(options)("Words of the tester", "strong"), ...lines].join("\n")}\n`;
}

function renderEvents(data: InsightEvidence, options: RenderOptions): string {
  const { events, eventCount, missingEvents, insight } = data;
  const paint = painter(options);
  if (events.length === 0) return `${paint(describeNoEvents(data), "muted")}\n`;
  const isOwn = events.every(({ sessionId }) => sessionId === insight.sessionId);
  const later = textColumn<EvidenceEvent>("sessionId", "SESSION", ({ sessionId }) => sessionId);
  const table = renderTable(events, isOwn ? evidenceEventColumns : [...evidenceEventColumns, later], options);
  const shown = eventCount - missingEvents;
  const notes = [
    ...(shown > events.length ? [`Showing the first ${events.length} of ${shown} events.`] : []),
    ...(missingEvents > 0 ? [`${missingEvents} of ${eventCount} events can no longer be read.`] : []),
  ];
  return `${table}${notes.map((note) => `${paint(note, "muted")}\n`).join("")}`;
}
