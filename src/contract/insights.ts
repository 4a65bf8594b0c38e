/** Insights: what the analysis found in a session. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { extensionField, openEnum, page, unixMs } from "./fields.ts";
import { buildFilter, gameFilter, pageQuery, rangeQuery, requireOrderedRange } from "./filters.ts";

export const insightTypes = [
  "stuck-point",
  "confusion",
  "positive-moment",
  "negative-moment",
  "feature-request",
  "bug-report",
  "difficulty-spike",
  "pacing-issue",
  "ui-friction",
  "praise",
  "session-summary",
] as const;
export type InsightType = (typeof insightTypes)[number];

/** The types that count as friction when builds are compared. */
export const frictionTypes = [
  "stuck-point",
  "confusion",
  "negative-moment",
  "bug-report",
  "difficulty-spike",
  "pacing-issue",
  "ui-friction",
] as const satisfies readonly InsightType[];

export const sentiments = ["positive", "neutral", "negative"] as const;
export type Sentiment = (typeof sentiments)[number];

const insightFields = {
  id: z.string().describe("ins_..."),
  sessionId: z.string(),
  type: openEnum(insightTypes),
  sentiment: openEnum(sentiments),
  confidence: z.number().describe("0 to 1"),
  createdAt: unixMs.describe("Unix ms"),
  tag: extensionField(z.string().describe("`<kind>:<where>`, such as difficulty-spike:level-09")),
  title: extensionField(z.string().describe("One line for people")),
};

/** An insight as lists give it. */
export const insightItem = z.object(insightFields);
export type InsightItem = z.output<typeof insightItem>;

/** An insight inside its session, with the evidence. */
export const insight = z.object({
  ...insightFields,
  evidence: z.string().describe("What was seen: thresholds and event ids"),
});
export type Insight = z.output<typeof insight>;

export const listInsights = defineRead({
  name: "listInsights",
  tool: "list_insights",
  path: "/api/v1/insights",
  summary: "Insights over all sessions, newest first",
  tag: "insights",
  names: { game: "game" },
  paged: true,
  query: requireOrderedRange(
    z.object({
      game: gameFilter.optional(),
      build: buildFilter.optional(),
      type: z.enum(insightTypes).optional(),
      sentiment: z.enum(sentiments).optional(),
      ...rangeQuery,
      ...pageQuery,
    }),
  ),
  response: page(insightItem),
  errors: ["not_found"],
});
