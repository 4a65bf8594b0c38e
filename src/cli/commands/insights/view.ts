/** The terminal view of an insight: what it states, the events behind it, and the words of the tester. */
import type { InsightEvidence } from "../../../contract/insight-evidence.ts";
import { renderDetails } from "../../../render/details.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import {
  describeEvents,
  insightDetails,
  QUOTES_TITLE,
  selectEventColumns,
  UNASKED,
} from "../../../render/tables/insight-details.ts";
import { describeNoEvents } from "../../../render/tables/insights.ts";

export function insightView(data: InsightEvidence, options: RenderOptions): string {
  const parts = [
    renderDetails(insightDetails(data, options), options),
    renderQuotes(data, options),
    renderEvents(data, options),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function renderQuotes({ quotes }: InsightEvidence, options: RenderOptions): string {
  if (quotes.length === 0) return "";
  const lines = quotes.flatMap(({ id, question, text }) => [
    ...renderParagraph(`${question ?? UNASKED} (${id})`, "  ", options),
    ...renderParagraph(text, "    ", options),
  ]);
  return `${[painter(options)(QUOTES_TITLE, "strong"), ...lines].join("\n")}\n`;
}

function renderEvents(data: InsightEvidence, options: RenderOptions): string {
  const paint = painter(options);
  if (data.events.length === 0) return `${paint(describeNoEvents(data), "muted")}\n`;
  const table = renderTable(data.events, selectEventColumns(data), options);
  return `${table}${describeEvents(data)
    .map((note) => `${paint(note, "muted")}\n`)
    .join("")}`;
}
