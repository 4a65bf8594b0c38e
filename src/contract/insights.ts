/** Insights: the results of the analysis of sessions. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { extensionField, openEnum, orNull, page, text, unixMs } from "./fields.ts";
import { buildFilter, envFilter, gameFilter, pageQuery, rangeQuery, requireOrderedRange } from "./filters.ts";

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

/** The times by which insights can be listed: of their creation, or of the start of their session. */
export const insightTimes = ["createdAt", "recordedAt"] as const;
export type InsightTime = (typeof insightTimes)[number];

/** The maximum length of a tag in a query. */
const MAX_TAG_LENGTH = 200;

/** The types that count as praise. */
export const praiseTypes = ["praise", "positive-moment"] as const satisfies readonly InsightType[];

export const sentiments = ["positive", "neutral", "negative"] as const;
export type Sentiment = (typeof sentiments)[number];

const insightFields = {
  id: z.string().describe("ID of the insight (`ins_...`)"),
  sessionId: z.string(),
  type: openEnum(insightTypes),
  sentiment: openEnum(sentiments),
  confidence: z.number().describe("Strength of the evidence, from 0 to 1. Not a probability"),
  createdAt: unixMs.describe("Time of creation, unix ms"),
  tag: extensionField(z.string().describe("`<kind>:<where>`, such as difficulty-spike:level-09")),
  title: extensionField(z.string().describe("One-line description")),
};

/** An insight in a list. */
export const insightItem = z.object({
  ...insightFields,
  build: extensionField(z.string().describe("Build of the session")),
  environment: extensionField(z.string()),
  deviceId: extensionField(orNull(z.string()).describe("ID of the device of the tester")),
  recordedAt: extensionField(unixMs.describe("When the session started, unix ms")),
  room: extensionField(orNull(z.string()).describe("Name of the room that the tag is about")),
  evidenceIds: extensionField(
    orNull(z.array(z.string())).describe("IDs of the events and answers behind it. Null without `include`"),
  ),
});
export type InsightItem = z.output<typeof insightItem>;

/** An insight with its evidence. */
export const insight = z.object({
  ...insightFields,
  evidence: z.string().describe("Thresholds and event ids behind the insight"),
});
export type Insight = z.output<typeof insight>;

/** A claim, whose fields depend on its kind. `claim` in claims.ts defines each kind, and newer services may add kinds. */
const openClaim = z.looseObject({ kind: z.string() });

/** An insight in the response for one session, with the claims behind its words. */
export const insightWithClaims = z.object({
  ...insight.shape,
  claims: extensionField(
    z
      .array(openClaim)
      .describe(
        "What the insight states, in checkable form (docs/analysis.md). Empty for findings of an AI model",
      ),
  ),
});
export type InsightWithClaims = z.output<typeof insightWithClaims>;

export const listInsights = defineRead({
  name: "listInsights",
  tool: "list_insights",
  path: "/api/v1/insights",
  summary: "List insights of all sessions, newest first",
  tag: "insights",
  names: { game: "game" },
  paged: true,
  query: requireOrderedRange(
    z.object({
      game: gameFilter.optional().describe("Game ID or slug (default: all games)"),
      build: buildFilter.optional(),
      type: z.enum(insightTypes).optional().describe("Insight type"),
      sentiment: z.enum(sentiments).optional().describe("Sentiment"),
      ...rangeQuery,
      ...pageQuery,
    }),
  ),
  extensions: {
    env: envFilter.optional(),
    tag: text(1, MAX_TAG_LENGTH).optional().describe("Exact tag, such as difficulty-spike:furnace"),
    device: text(1, 256).optional().describe("Tester handle or device ID (without a game: device ID)"),
    time: z
      .enum(insightTimes)
      .optional()
      .describe("The time that `from`, `to` and the order refer to (default: createdAt)"),
    include: z.enum(["evidenceIds"]).optional().describe("Also return `evidenceIds`"),
  },
  response: page(insightItem),
  errors: ["not_found"],
  reasons: { not_found: ["unknown_environment", "unknown_tag", "unknown_tester"] },
});
