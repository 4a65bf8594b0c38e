/** The terminal view of a journey: the tester, the trend, play time over the sessions, and a timeline of the sessions. */

import { journeyChart } from "../../../charts/journey.ts";
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
  readonly style: Style;
}

const trends: Readonly<Record<string, Trend>> = {
  rising: { text: "rising", arrow: " ▲", style: "good" },
  flat: { text: "flat", arrow: "", style: "muted" },
  declining: { text: "declining", arrow: " ▼", style: "bad" },
  insufficient_data: {
    text: "not enough data (at least 4 sessions are required)",
    arrow: "",
    style: "muted",
  },
};

/** Renders the view; it ends in a line feed. */
export function journeyView(journey: Journey, options: RenderOptions): string {
  const { tester, game, totalSessions, totalActiveSec, engagementTrend, entries, summary } = journey;
  const trend = trends[engagementTrend] ?? { text: engagementTrend, arrow: "", style: "muted" };
  const details = renderDetails(
    [
      ["Tester", tester.identityLabel, "strong"],
      ["Device", tester.deviceId ?? null],
      ["Game", game.name],
      ["Sessions", totalSessions],
      ["Active time", formatDuration(totalActiveSec)],
      ["Active time trend", options.plain ? trend.text : trend.text + trend.arrow, trend.style],
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
    ...topFriction.map((counted) => ({ text: formatTagCount("Friction", counted), style: "bad" as const })),
    ...topPraise.map((counted) => ({ text: formatTagCount("Praise", counted), style: "good" as const })),
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
