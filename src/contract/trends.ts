/** Trends: a row of the scorecard or a metric over the last builds of a game. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, openEnum, orNull, text } from "./fields.ts";
import { envFilter, lastBuilds } from "./filters.ts";
import { game } from "./games.ts";
import { tagTitle } from "./result-fields.ts";

/** The default and the maximum number of builds. */
export const DEFAULT_TREND_BUILDS = 10;
export const MAX_TREND_BUILDS = 30;

/** The metrics that a trend can show instead of a tag. */
export const trendMetrics = ["crash-free", "session-length", "engagement", "day-1"] as const;
export type TrendMetric = (typeof trendMetrics)[number];
export const DEFAULT_TREND_METRIC: TrendMetric = "crash-free";

export const metricTitles: Readonly<Record<TrendMetric, string>> = {
  "crash-free": "Testers without a crash",
  "session-length": "Median active time per session",
  engagement: "Active time as a share of play time",
  "day-1": "Testers who came back on day 1",
};

/** The unit of the values: shares from 0 to 1, seconds, points of a rating, ms, MB, or counts per minute. */
export const trendUnits = ["share", "seconds", "points", "ms", "mb", "per-min"] as const;

const trendPoint = z.object({
  build: z.string(),
  testers: count.describe("Testers of the build in the environment"),
  sessions: count,
  counted: count.describe(
    "What the value is computed from: testers who could meet the tag, testers, or sessions",
  ),
  withTag: orNull(count).describe("Of these, with the tag or outcome, without a crash, or who came back"),
  value: orNull(z.number().min(0)).describe("Null if nobody can be counted, or not yet"),
  interval: orNull(z.object({ low: z.number().min(0), high: z.number().min(0) })).describe(
    "95%. Null with too few testers",
  ),
  analysisVersions: z.array(count).describe("Versions of the rules"),
});
export type TrendPoint = z.output<typeof trendPoint>;

export const getTrend = defineRead({
  name: "getTrend",
  tool: "get_trend",
  path: "/api/v1/trends/{game}",
  summary: "Show a friction tag or a metric over the last builds, in the order in which they were played",
  tag: "builds",
  extension: true,
  excludes: { tag: ["metric"], metric: ["tag"] },
  query: z.object({
    tag: text(1, 200)
      .optional()
      .describe(
        "Friction tag such as difficulty-spike:furnace, or another row of a scorecard such as quit:furnace",
      ),
    metric: z
      .enum(trendMetrics)
      .optional()
      .describe(`Metric, if there is no tag (default: ${DEFAULT_TREND_METRIC})`),
    env: envFilter.optional().describe("Environment of the sessions, or `all` (default: production)"),
    last: lastBuilds(DEFAULT_TREND_BUILDS, MAX_TREND_BUILDS),
  }),
  response: z.object({
    game,
    environment: z.string(),
    tag: orNull(z.string()),
    title: tagTitle,
    metric: orNull(z.string()),
    unit: openEnum(trendUnits),
    points: z.array(trendPoint).describe("From the oldest build to the newest"),
    sessionsSkipped: count
      .optional()
      .describe("Sessions that were not read, because the game has too many. Only for the metric `day-1`"),
  }),
  reasons: { not_found: ["unknown_environment", "unknown_tag"] },
});
export type Trend = z.output<typeof getTrend.response>;
