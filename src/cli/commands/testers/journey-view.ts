/** The terminal view of a journey: the tester, the trend, play time over the sessions, and a timeline of the sessions. */

import { journeyChart } from "../../../charts/journey.ts";
import { frictionTypes, type Insight, praiseTypes } from "../../../contract/insights.ts";
import type { Journey, JourneyEntry } from "../../../contract/journeys.ts";
import { renderSeries } from "../../../render/charts/series.ts";
import { renderDetails } from "../../../render/details.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter, type Style } from "../../../render/style.ts";
import { cleanLine, displayWidth, pad } from "../../../render/text.ts";
import { formatDuration, formatTime } from "../../../render/time.ts";
import { formatTagCount } from "../tag-text.ts";

interface Trend {
  readonly text: string;
  /** Repeats the text as a symbol. */
  readonly arrow: string;
  /** What the trend is based on. */
  readonly note: string;
  readonly style: Style;
}

const COMPARED = " (last 3 sessions vs. first 3)";

const trends: Readonly<Record<string, Trend>> = {
  rising: { text: "rising", arrow: " ▲", note: COMPARED, style: "good" },
  flat: { text: "flat", arrow: "", note: COMPARED, style: "muted" },
  declining: { text: "declining", arrow: " ▼", note: COMPARED, style: "bad" },
  insufficient_data: {
    text: "not enough data",
    arrow: "",
    note: " (at least 4 sessions are required)",
    style: "muted",
  },
};

/** Renders the view; it ends in a line feed. */
export function journeyView(journey: Journey, options: RenderOptions): string {
  const { tester, game, totalSessions, totalActiveSec, engagementTrend, entries, summary } = journey;
  const trend = trends[engagementTrend] ?? { text: engagementTrend, arrow: "", note: "", style: "muted" };
  const details = renderDetails(
    [
      ["Tester", tester.identityLabel, "strong"],
      ["Device", tester.deviceId ?? null],
      ["Game", game.name],
      ["Sessions", totalSessions],
      ["Active time", formatDuration(totalActiveSec)],
      ["Active time trend", trend.text + (options.plain ? "" : trend.arrow) + trend.note, trend.style],
      ["Summary", summary || null],
    ],
    options,
  );
  const times = entries.map(({ session }) => formatTime(session.recordedAt, options));
  const timeWidth = Math.max(0, ...times.map(displayWidth));
  const renderAt = (entry: JourneyEntry, index: number) =>
    renderEntry(
      entry,
      { time: pad(times[index] ?? "", timeWidth), isLast: index === entries.length - 1 },
      options,
    );
  // One session makes no chart, and screen readers read the durations in the timeline.
  const chart =
    entries.length < 2 || options.plain ? "" : `${renderSeries(journeyChart(journey), options)}\n`;
  return `${details}\n${chart}${entries.map(renderAt).join("")}`;
}

interface TimelinePosition {
  readonly time: string;
  readonly isLast: boolean;
}

function renderEntry(
  entry: JourneyEntry,
  { time, isLast }: TimelinePosition,
  options: RenderOptions,
): string {
  const paint = painter(options);
  const { session, topFriction, topPraise } = entry;
  const marker = options.plain ? "-" : "●";
  const rail = options.plain || isLast ? " " : "│";
  const { gameVersion } = session.metadata;
  const title = session.title.includes(gameVersion) ? session.title : `${session.title} (${gameVersion})`;
  const heading = `${marker} ${paint(time, "muted")}  ${paint(cleanLine(title), "strong")}`;
  const tags = [
    ...listTags("Friction", topFriction, countTags(entry.insights, frictionTypes)).map((text) => ({
      text,
      style: "bad" as const,
    })),
    ...listTags("Praise", topPraise, countTags(entry.insights, praiseTypes)).map((text) => ({
      text,
      style: "good" as const,
    })),
  ];
  const lines = [
    heading,
    `${rail}   ${formatDuration(session.duration)}`,
    ...tags.flatMap(({ text, style }) =>
      renderParagraph(text, "    ", options).map((line) => `${rail}${paint(line.slice(1), style)}`),
    ),
    ...(session.status === "analyzed" ? [] : [`${rail}   ${paint(cleanLine(session.status), "muted")}`]),
  ];
  return `${lines.join("\n")}\n`;
}

/** The top tags, followed by the number of other tags, such as `Friction: 2 more tags`. */
function listTags(label: string, top: JourneyEntry["topFriction"], total: number): string[] {
  const more = total - top.length;
  const lines = top.map((counted) => formatTagCount(label, counted));
  return more > 0 ? [...lines, `${label}: ${more} more ${more === 1 ? "tag" : "tags"}`] : lines;
}

/** The number of tags of insights of the given types. */
function countTags(insights: readonly Insight[], types: readonly string[]): number {
  const tags = insights.flatMap(({ type, tag }) => (tag && types.includes(type) ? [tag] : []));
  return new Set(tags).size;
}
