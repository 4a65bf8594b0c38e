/** What people see of one session: the facts, what was found with its evidence, and the most frequent events. */
import type { Insight } from "../../../contract/insights.ts";
import type { FullSession } from "../../../contract/sessions.ts";
import { bar } from "../../../render/bars.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { renderDetails } from "../../../render/details.ts";
import { formatShare } from "../../../render/numbers.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { cleanLine } from "../../../render/text.ts";
import { formatDuration, formatTime } from "../../../render/time.ts";
import { sentimentStyle } from "../insights/columns.ts";
import { listAnswers, statusStyle } from "./columns.ts";

const SHOWN_EVENTS = 10;
const BAR_WIDTH = 20;
/** Lines of a transcript that are shown; the rest is in the JSON. */
const SHOWN_LINES = 8;

/** The whole view, ending in a line feed. */
export function sessionView(
  { session, insights }: { session: FullSession; insights: readonly Insight[] },
  options: RenderOptions,
): string {
  const parts = [
    renderFacts(session, options),
    renderFindings(insights, options),
    renderFeedback(session, options),
    renderTranscript(session, options),
    renderEvents(session, options),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function renderFacts(session: FullSession, options: RenderOptions): string {
  return renderDetails(
    [
      ["Session", session.title, "strong"],
      ["Id", session.id],
      ["Status", session.status, statusStyle(session.status)],
      ["Build", session.metadata.gameVersion],
      ["Platform", session.metadata.platform],
      ["Environment", session.environment ?? null],
      ["Source", session.source],
      ["Tester", session.testerHandle ?? null],
      ["Device", session.deviceId ?? null],
      ["Recorded", formatTime(session.recordedAt, options)],
      ["Length", formatDuration(session.duration)],
      ...clockDetails(session),
    ],
    options,
  );
}

/** A line about the clock where it was wrong; nothing for the many that are right. */
function clockDetails({ clockCorrected }: FullSession): [string, string][] {
  return clockCorrected ? [["Clock", "corrected: the device's clock was wrong"]] : [];
}

function renderFindings(insights: readonly Insight[], options: RenderOptions): string {
  const paint = painter(options);
  if (insights.length === 0) return `${paint("No insights.", "muted")}\n`;
  return [...insights]
    .sort((a, b) => rankInsight(b) - rankInsight(a))
    .map((insight) => {
      const sure = `${formatShare(insight.confidence)} sure`;
      const head = `${cleanLine(insight.type)} (${cleanLine(insight.sentiment)}, ${sure})`;
      const lines = [paint(head, sentimentStyle(insight.sentiment))];
      if (insight.title) lines.push(...renderParagraph(insight.title, "  ", options));
      for (const line of renderParagraph(insight.evidence, "    ", options)) lines.push(paint(line, "muted"));
      return `${lines.join("\n")}\n`;
    })
    .join("");
}

/** What the tester answered, a form after the other. */
function renderFeedback(session: FullSession, options: RenderOptions): string {
  const answers = listAnswers(session);
  if (answers.length === 0) return "";
  const lines = answers.map(({ label, value }) =>
    [...renderParagraph(label, "  ", options), ...renderParagraph(value, "    ", options)].join("\n"),
  );
  return `${painter(options)("Feedback", "strong")}\n${lines.join("\n")}\n`;
}

/** How the transcript begins. */
function renderTranscript({ transcript }: FullSession, options: RenderOptions): string {
  if (!transcript) return "";
  const paint = painter(options);
  const lines = renderParagraph(transcript, "  ", options);
  const rest = lines.length - SHOWN_LINES;
  const more = rest > 0 ? [paint(`  and ${rest} more lines (--json has all)`, "muted")] : [];
  return `${[paint("Transcript", "strong"), ...lines.slice(0, SHOWN_LINES), ...more].join("\n")}\n`;
}

/** The summary first, then what is surest. */
function rankInsight({ type, confidence }: Insight): number {
  return type === "session-summary" ? 2 : confidence;
}

function renderEvents(session: FullSession, options: RenderOptions): string {
  const counts = Object.entries(session.event_counts ?? {}).sort(([, a], [, b]) => b - a);
  if (counts.length === 0) return "";
  const most = counts[0]?.[1] ?? 1;
  const columns: TableColumn<[string, number]>[] = [
    { key: "name", header: "EVENT", value: ([name]) => name, shrink: 1 },
    { key: "count", header: "COUNT", value: ([, count]) => count },
    { key: "bar", header: "", value: ([, count]) => bar(count / most, BAR_WIDTH, options) },
  ];
  const shown = renderTable(counts.slice(0, SHOWN_EVENTS), columns, options);
  const rest = counts.length - SHOWN_EVENTS;
  return rest > 0 ? `${shown}${painter(options)(`and ${rest} more kinds of event`, "muted")}\n` : shown;
}
