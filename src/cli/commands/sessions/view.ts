/** The terminal view of one session: what happened and when, what the tester answered, and with --wide everything else. */
import type { InsightWithClaims } from "../../../contract/insights.ts";
import { SESSION_SUMMARY, sentimentTone } from "../../../contract/insights.ts";
import type { FullSession } from "../../../contract/sessions.ts";
import { type AlignedCell, alignCells } from "../../../render/aligned.ts";
import { bar } from "../../../render/bars.ts";
import { renderDetails } from "../../../render/details.ts";
import { formatCount } from "../../../render/numbers.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { formatMoment } from "../../../render/tables/event-text.ts";
import {
  describeClock,
  formatAnswerTime,
  rankEvents,
  rankInsights,
  sessionDetails,
} from "../../../render/tables/session-details.ts";
import { describeNoInsights, listAnswers } from "../../../render/tables/sessions.ts";
import { cleanLine } from "../../../render/text.ts";
import { formatDuration, formatTime } from "../../../render/time.ts";
import { parseTag } from "../../../shared/tags.ts";

const SHOWN_EVENTS = 10;
const BAR_WIDTH = 20;
const SHOWN_LINES = 8;

export function sessionView(
  { session, insights }: { session: FullSession; insights: readonly InsightWithClaims[] },
  options: RenderOptions,
): string {
  const parts = options.wide
    ? [
        renderDetails(sessionDetails(session, options), options),
        renderEvidence(insights, session, options),
        renderFeedback(session, options),
        renderTranscript(session, options),
        renderEvents(session, options),
      ]
    : [
        renderHead(session, insights, options),
        renderMoments(insights, session, options),
        renderFeedback(session, options),
        renderTranscript(session, options),
        describeMore(session, options),
      ];
  return parts.filter((part) => part !== "").join("\n");
}

/** What happened, where and by whom it was played, and its summary. */
function renderHead(
  session: FullSession,
  insights: readonly InsightWithClaims[],
  options: RenderOptions,
): string {
  const paint = painter(options);
  const { metadata, environment, duration, recordedAt, testerHandle, deviceId, status, error } = session;
  const played = [
    ...[metadata.gameVersion, metadata.platform, environment, formatDuration(duration)],
    ...[formatTime(recordedAt, options), testerHandle ?? deviceId],
    status === "analyzed" ? null : status,
  ];
  const summary = insights.find(({ type }) => type === SESSION_SUMMARY);
  const clock = describeClock(session);
  const notes = [
    ...(error == null ? [] : [error]),
    ...(clock === null ? [] : [`Clock: ${clock}.`]),
    ...(session.eventsPrunedAt == null
      ? []
      : [`Retention removed the events ${formatTime(session.eventsPrunedAt, options)}.`]),
    ...(summary?.title ? [summary.title] : []),
  ];
  return [
    ...renderParagraph(cleanLine(session.title), "", options, "strong"),
    ...renderParagraph(cleanLine(played.filter((part) => part).join(" · ")), "  ", options),
    paint(`  ${cleanLine(session.id)}`, "muted"),
    ...notes.flatMap((note) => renderParagraph(cleanLine(note), "  ", options)),
    "",
  ].join("\n");
}

/** What was found, in the order of play: the moment, what happened and its tag. */
function renderMoments(
  insights: readonly InsightWithClaims[],
  session: FullSession,
  options: RenderOptions,
): string {
  const found = insights.filter(({ type }) => type !== SESSION_SUMMARY);
  if (found.length === 0)
    return `${painter(options)(`  ${insights.length > 0 ? "Nothing else was found." : describeNoInsights(session)}`, "muted")}\n`;
  const momentOf = ({ activeSec }: InsightWithClaims) => activeSec ?? Number.POSITIVE_INFINITY;
  const rows = rankInsights(found)
    .toSorted((a, b) => momentOf(a) - momentOf(b) || 0)
    .map((insight): AlignedCell[] => [
      { text: describeMoment(insight), align: "right" },
      { text: insight.title ?? insight.type, style: sentimentTone(insight.sentiment) },
      { text: insight.tag ?? insight.type },
    ]);
  return `${alignCells(rows, "  ", options).join("\n")}\n`;
}

const origins: Readonly<Record<string, string>> = { answers: "form", transcript: "said" };

/** When the insight showed, or where it comes from. */
function describeMoment({ activeSec, tag }: InsightWithClaims): string {
  if (activeSec != null) return formatMoment(activeSec);
  return origins[parseTag(tag ?? "")?.scope ?? ""] ?? "-";
}

/** How to see the events and the evidence. */
function describeMore(session: FullSession, options: RenderOptions): string {
  const events = rankEvents(session).reduce((sum, [, count]) => sum + count, 0);
  const id = cleanLine(session.id);
  const lines = [
    `  Evidence: playtest sessions get ${id} --wide`,
    ...(events === 0 ? [] : [`  ${formatCount(events, "event")}: playtest sessions events ${id}`]),
  ];
  return `${lines.map((line) => painter(options)(line, "muted")).join("\n")}\n`;
}

function renderEvidence(
  insights: readonly InsightWithClaims[],
  session: FullSession,
  options: RenderOptions,
): string {
  const paint = painter(options);
  if (insights.length === 0) return `${paint(describeNoInsights(session), "muted")}\n`;
  return rankInsights(insights)
    .map((insight) => {
      const heading = `${cleanLine(insight.type)} (${cleanLine(insight.sentiment)})`;
      const moment = insight.activeSec == null ? "" : ` at ${formatMoment(insight.activeSec)}`;
      const lines = [`${paint(heading, sentimentTone(insight.sentiment))}${moment} ${cleanLine(insight.id)}`];
      if (insight.title) lines.push(...renderParagraph(insight.title, "  ", options));
      lines.push(...renderParagraph(insight.evidence, "    ", options, "muted"));
      return `${lines.join("\n")}\n`;
    })
    .join("");
}

function renderFeedback(session: FullSession, options: RenderOptions): string {
  const answers = listAnswers(session);
  if (answers.length === 0) return "";
  const lines = answers.flatMap(({ label, value, ...times }) =>
    renderParagraph(`${label}${formatAnswerTime(times)} ${value}`, "  ", options),
  );
  return `${painter(options)("Feedback", "strong")}\n${lines.join("\n")}\n`;
}

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
  const columns = defineColumns<[string, number]>({
    name: { header: "EVENT", value: ([name]) => name, shrink: 1 },
    count: { header: "COUNT", value: ([, count]) => count },
    bar: { header: "", value: ([, count]) => bar(count / highest, BAR_WIDTH, options) },
  });
  const table = renderTable(counts.slice(0, SHOWN_EVENTS), columns, options);
  const rest = counts.length - SHOWN_EVENTS;
  return rest > 0
    ? `${table}${painter(options)(`${rest} more event ${rest === 1 ? "name" : "names"} (use --json to see all)`, "muted")}\n`
    : table;
}
