/** The terminal view of one session: details, insights with evidence, feedback, transcript and the most frequent events. */

import type { Insight } from "../../../contract/insights.ts";
import { sentimentTone } from "../../../contract/insights.ts";
import type { FullSession } from "../../../contract/sessions.ts";
import { bar } from "../../../render/bars.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { renderDetails } from "../../../render/details.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import {
  formatAnswerTime,
  rankEvents,
  rankInsights,
  sessionDetails,
} from "../../../render/tables/session-details.ts";
import { describeNoInsights, listAnswers } from "../../../render/tables/sessions.ts";
import { cleanLine } from "../../../render/text.ts";

const SHOWN_EVENTS = 10;
const BAR_WIDTH = 20;
/** The number of transcript lines to show. */
const SHOWN_LINES = 8;

/** Renders the view; it ends in a line feed. */
export function sessionView(
  { session, insights }: { session: FullSession; insights: readonly Insight[] },
  options: RenderOptions,
): string {
  const parts = [
    renderDetails(sessionDetails(session, options), options),
    renderInsights(insights, session, options),
    renderFeedback(session, options),
    renderTranscript(session, options),
    renderEvents(session, options),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function renderInsights(insights: readonly Insight[], session: FullSession, options: RenderOptions): string {
  const paint = painter(options);
  if (insights.length === 0) return `${paint(describeNoInsights(session), "muted")}\n`;
  return rankInsights(insights)
    .map((insight) => {
      const heading = `${cleanLine(insight.type)} (${cleanLine(insight.sentiment)})`;
      const lines = [`${paint(heading, sentimentTone(insight.sentiment))} ${cleanLine(insight.id)}`];
      if (insight.title) lines.push(...renderParagraph(insight.title, "  ", options));
      for (const line of renderParagraph(insight.evidence, "    ", options)) lines.push(paint(line, "muted"));
      return `${lines.join("\n")}\n`;
    })
    .join("");
}

function renderFeedback(session: FullSession, options: RenderOptions): string {
  const answers = listAnswers(session);
  if (answers.length === 0) return "";
  const lines = answers.map(({ label, value, ...times }) =>
    [
      ...renderParagraph(`${label}${formatAnswerTime(times)}`, "  ", options),
      ...renderParagraph(value, "    ", options),
    ].join("\n"),
  );
  return `${painter(options)("Feedback", "strong")}\n${lines.join("\n")}\n`;
}

/** The beginning of the transcript. */
function renderTranscript({ transcript }: FullSession, options: RenderOptions): string {
  if (!transcript) return "";
  const paint = painter(options);
  const lines = renderParagraph(transcript, "  ", options);
  const rest = lines.length - SHOWN_LINES;
  const more =
    rest > 0
      ? [paint(`  ${rest} more ${rest === 1 ? "line" : "lines"} (use --json to see all)`, "muted")]
      : [];
  return `${[paint("Transcript", "strong"), ...lines.slice(0, SHOWN_LINES), ...more].join("\n")}\n`;
}

function renderEvents(session: FullSession, options: RenderOptions): string {
  const counts = rankEvents(session);
  if (counts.length === 0) return "";
  const highest = counts[0]?.[1] ?? 1;
  const columns: TableColumn<[string, number]>[] = [
    { key: "name", header: "EVENT", value: ([name]) => name, shrink: 1 },
    { key: "count", header: "COUNT", value: ([, count]) => count },
    { key: "bar", header: "", value: ([, count]) => bar(count / highest, BAR_WIDTH, options) },
  ];
  const table = renderTable(counts.slice(0, SHOWN_EVENTS), columns, options);
  const rest = counts.length - SHOWN_EVENTS;
  return rest > 0
    ? `${table}${painter(options)(`${rest} more event ${rest === 1 ? "name" : "names"} (use --json to see all)`, "muted")}\n`
    : table;
}
