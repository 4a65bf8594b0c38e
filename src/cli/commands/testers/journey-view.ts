/** What people see of a journey: who, the trend, play time over the sessions, and a timeline of them with their findings. */

import { journeyChart } from "../../../charts/journey.ts";
import type { Journey, JourneyEntry } from "../../../contract/journeys.ts";
import { renderSeries } from "../../../render/charts/series.ts";
import { renderDetails } from "../../../render/details.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter, type Style } from "../../../render/style.ts";
import { cleanLine, displayWidth, pad } from "../../../render/text.ts";
import { formatDuration, formatTime } from "../../../render/time.ts";

interface Trend {
  readonly text: string;
  /** Says it again, to the eye. */
  readonly arrow: string;
  readonly style: Style;
}

const trends: Readonly<Record<string, Trend>> = {
  rising: { text: "rising", arrow: " ▲", style: "good" },
  flat: { text: "flat", arrow: " =", style: "muted" },
  declining: { text: "declining", arrow: " ▼", style: "bad" },
  insufficient_data: { text: "not known yet: it takes 4 sessions", arrow: "", style: "muted" },
};

/** The whole view, ending in a line feed. */
export function journeyView(journey: Journey, options: RenderOptions): string {
  const { tester, game, totalSessions, totalActiveSec, engagementTrend, entries, summary } = journey;
  const trend = trends[engagementTrend] ?? { text: engagementTrend, arrow: "", style: "muted" };
  const head = renderDetails(
    [
      ["Tester", tester.identityLabel, "strong"],
      ["Device", tester.deviceId ?? null],
      ["Game", game.name],
      ["Sessions", totalSessions],
      ["Active play", formatDuration(totalActiveSec)],
      ["Engagement", options.plain ? trend.text : trend.text + trend.arrow, trend.style],
      ["Summary", summary || null],
    ],
    options,
  );
  const whens = entries.map(({ session }) => formatTime(session.recordedAt, options));
  const wide = Math.max(0, ...whens.map(displayWidth));
  const line = (entry: JourneyEntry, at: number) =>
    renderEntry(entry, { when: pad(whens[at] ?? "", wide), last: at === entries.length - 1 }, options);
  // Over one session there is nothing to see, and a screen reader hears the lengths in the timeline.
  const chart =
    entries.length < 2 || options.plain ? "" : `${renderSeries(journeyChart(journey), options)}\n`;
  return `${head}\n${chart}${entries.map(line).join("")}`;
}

interface TimelinePosition {
  readonly when: string;
  readonly last: boolean;
}

function renderEntry(entry: JourneyEntry, { when, last }: TimelinePosition, options: RenderOptions): string {
  const paint = painter(options);
  const { session, topFriction, topPraise } = entry;
  const mark = options.plain ? "-" : "●";
  const rail = options.plain || last ? " " : "│";
  const { gameVersion } = session.metadata;
  const title = session.title.includes(gameVersion) ? session.title : `${session.title} (${gameVersion})`;
  const first = `${mark} ${paint(when, "muted")}  ${paint(cleanLine(title), "strong")}`;
  const findings = [
    ...topFriction.map(({ tag, count }) => ({ text: `friction ${tag} (${count})`, style: "bad" as const })),
    ...topPraise.map(({ tag, count }) => ({ text: `praise ${tag} (${count})`, style: "good" as const })),
  ];
  const lines = [
    first,
    `${rail}   ${formatDuration(session.duration)}`,
    ...findings.flatMap(({ text, style }) =>
      renderParagraph(text, "    ", options).map((one) => `${rail}${paint(one.slice(1), style)}`),
    ),
    ...(session.status === "analyzed" ? [] : [`${rail}   ${paint(cleanLine(session.status), "muted")}`]),
  ];
  return `${lines.join("\n")}\n`;
}
