/** What people see of one session: the facts, what was found with its evidence, and the most frequent events. */
import type { Insight } from "../../../contract/insights.ts";
import type { FullSession } from "../../../contract/sessions.ts";
import { bar } from "../../../render/bars.ts";
import type { Column } from "../../../render/columns.ts";
import { renderDetails } from "../../../render/details.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { cleanBlock, cleanLine } from "../../../render/text.ts";
import { formatDuration, formatTime } from "../../../render/time.ts";
import { wrapText } from "../../../render/wrap.ts";
import { sentimentStyle } from "../insights/columns.ts";
import { statusStyle } from "./columns.ts";

const SHOWN_EVENTS = 10;
const BAR_WIDTH = 20;
const DEFAULT_TEXT_WIDTH = 100;

/** The whole view, ending in a line feed. */
export function sessionView(
  { session, insights }: { session: FullSession; insights: readonly Insight[] },
  options: RenderOptions,
): string {
  const parts = [factsOf(session, options), findingsOf(insights, options), eventsOf(session, options)];
  return parts.filter((part) => part !== "").join("\n");
}

function factsOf(session: FullSession, options: RenderOptions): string {
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
    ],
    options,
  );
}

function findingsOf(insights: readonly Insight[], options: RenderOptions): string {
  const paint = painter(options);
  if (insights.length === 0) return `${paint("No insights.", "muted")}\n`;
  const width = (options.tty ? options.width : DEFAULT_TEXT_WIDTH) - 4;
  return [...insights]
    .sort((a, b) => rankOf(b) - rankOf(a))
    .map((insight) => {
      const sure = `${Math.round(insight.confidence * 100)} % sure`;
      const head = `${cleanLine(insight.type)} (${cleanLine(insight.sentiment)}, ${sure})`;
      const lines = [paint(head, sentimentStyle(insight.sentiment))];
      for (const line of insight.title ? wrapText(cleanLine(insight.title), width + 2) : [])
        lines.push(`  ${line}`);
      for (const line of wrapText(cleanBlock(insight.evidence), width))
        lines.push(paint(`    ${line}`, "muted"));
      return `${lines.join("\n")}\n`;
    })
    .join("");
}

/** The summary first, then what is surest. */
function rankOf({ type, confidence }: Insight): number {
  return type === "session-summary" ? 2 : confidence;
}

function eventsOf(session: FullSession, options: RenderOptions): string {
  const counts = Object.entries(session.event_counts ?? {}).sort(([, a], [, b]) => b - a);
  if (counts.length === 0) return "";
  const most = counts[0]?.[1] ?? 1;
  const columns: Column<[string, number]>[] = [
    { key: "name", header: "EVENT", value: ([name]) => name, shrink: 1 },
    { key: "count", header: "COUNT", value: ([, count]) => count },
    { key: "bar", header: "", value: ([, count]) => bar(count / most, BAR_WIDTH, options) },
  ];
  const shown = renderTable(counts.slice(0, SHOWN_EVENTS), columns, options);
  const rest = counts.length - SHOWN_EVENTS;
  return rest > 0 ? `${shown}${painter(options)(`and ${rest} more kinds of event`, "muted")}\n` : shown;
}
