/** A row of the scorecard or a metric over the builds of a game as intervals: one row per build, the oldest first. */
import type { Trend, TrendPoint } from "../contract/trends.ts";
import { describeDifferentAnalyses } from "../gate/analysis-versions.ts";
import { ownValue } from "../shared/own-value.ts";
import { formatTitleAndTag } from "../shared/tags.ts";
import type { ChartUnit, Intervals } from "./charts.ts";

/** Units that a chart formats. It shows all others as plain numbers. */
const chartUnits: Readonly<Record<string, ChartUnit>> = { share: "share", seconds: "seconds" };

/** The value of each build with its 95% interval. */
export function trendChart(trend: Trend): Intervals {
  const { environment, points } = trend;
  return {
    kind: "intervals",
    title: formatTrendTitle(trend),
    note: [describeTrend(trend), ...listWarnings(trend)].join(" "),
    unit: ownValue(chartUnits, trend.unit) ?? "count",
    labels: "Build",
    columns: [countedNouns[trend.metric ?? ""] ?? "testers"],
    groups: [
      {
        title: environment === "all" ? "All environments" : environment,
        mood: "neutral",
        rows: points.map((point) => ({
          label: point.build,
          value: point.value ?? null,
          interval: point.interval ?? null,
          details: [formatCounted(point)],
        })),
      },
    ],
  };
}

/** The row or the metric in words. */
export const formatTrendTitle = ({ tag, title, metric }: Trend): string =>
  tag ? formatTitleAndTag({ tag, title: title ?? null }) : (title ?? metric ?? "");

/** What the values of some metrics are counted over, if not testers. */
const countedNouns: Readonly<Record<string, string>> = {
  "session-length": "sessions",
  engagement: "sessions",
};

const notes: Readonly<Record<string, string>> = {
  "crash-free": "Share of testers without a crash in any session of the build.",
  "session-length": "Median active time of a session.",
  engagement: "Active time divided by play time.",
  "day-1":
    "Share of testers who came back 24 to 48 hours after their first session, by its build. Only testers whose day 1 is over are counted.",
};

/** The same for rows of the scorecard. */
const rowNotes: Readonly<Record<string, string>> = {
  quit: "Share of testers who quit in the room among those who entered it.",
  completion: "Share of testers who completed the room among those who entered it.",
  rating: "Mean over the testers who answered.",
  yes: "Share of testers who said yes, among those who answered.",
  crash: "Share of testers with a crash.",
  return: "Share of testers who came back on day 1, among those whose day 1 is over.",
  "active-time": "Mean active time of a tester.",
};

function describeTrend({ tag, metric }: Trend): string {
  const what = tag
    ? "Share of testers with the tag among those who could meet it."
    : (notes[metric ?? ""] ?? rowNotes[metric?.split(":")[0] ?? ""]);
  return [...(what === undefined ? [] : [what]), "Intervals: 95%. The oldest build comes first."].join(" ");
}

/** Why the values of some builds cannot be compared, and what they do not include. */
function listWarnings({ tag, metric, points, sessionsSkipped = 0 }: Trend): string[] {
  if (!tag && notes[metric ?? ""] !== undefined) {
    return sessionsSkipped === 0
      ? []
      : [
          `${sessionsSkipped} ${sessionsSkipped === 1 ? "session was" : "sessions were"} not read, because the game has too many.`,
        ];
  }
  const difference = describeDifferentAnalyses(
    [],
    points.flatMap(({ analysisVersions }) => analysisVersions),
  );
  return difference === null ? [] : [`The builds cannot be compared: ${difference}.`];
}

function formatCounted({ counted, withTag }: TrendPoint): string {
  return withTag === null || withTag === undefined ? String(counted) : `${withTag} of ${counted}`;
}
