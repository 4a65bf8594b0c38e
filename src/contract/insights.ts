/** Insights: the results of the analysis of sessions. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { extensionField, inUnit, openEnum, orNull, page, text, unixMs } from "./fields.ts";
import {
  buildFilter,
  defineResource,
  envFilter,
  filterShape,
  gameFilter,
  listQuery,
  rangeFilters,
  type Tone,
} from "./resource.ts";

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

/** The type of the insight that every analyzed session has. */
export const SESSION_SUMMARY = "session-summary" satisfies InsightType;

const MAX_TAG_LENGTH = 200;

export const praiseTypes = ["praise", "positive-moment"] as const satisfies readonly InsightType[];

export const sentiments = ["positive", "neutral", "negative"] as const;
export type Sentiment = (typeof sentiments)[number];

const insightFields = {
  id: z.string().describe("ID of the insight (`ins_...`)"),
  sessionId: z.string().describe("Session of the insight"),
  type: openEnum(insightTypes).describe("Insight type, such as difficulty-spike"),
  sentiment: openEnum(sentiments).describe("positive, neutral or negative"),
  confidence: inUnit(z.number(), "0 to 1").describe(
    "Strength of the evidence, from 0 to 1. Not a probability",
  ),
  createdAt: unixMs.describe("Time of creation, unix ms"),
  tag: extensionField(z.string().describe("`<kind>:<where>`, such as difficulty-spike:level-09")),
  title: extensionField(z.string().describe("One-line description")),
};

export const insightItem = z.object({
  ...insightFields,
  build: extensionField(z.string().describe("Build of the session")),
  environment: extensionField(z.string().describe("Environment of the session")),
  deviceId: extensionField(
    orNull(z.string()).describe("Device of the tester. A session without a device counts as its own tester"),
  ),
  recordedAt: extensionField(unixMs.describe("When the session started, unix ms")),
  room: extensionField(orNull(z.string()).describe("Name of the room that the tag is about")),
  evidenceIds: extensionField(
    orNull(z.array(z.string())).describe("IDs of the events and answers behind it. Null without `include`"),
  ),
  activeSec: z
    .number()
    .nullable()
    .optional()
    .describe(
      "Active seconds of the session until the insight showed; null if it is about no moment. Absent without `include`",
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
  activeSec: extensionField(
    orNull(z.number()).describe(
      "Active seconds of the session until the insight showed; null if it is about no moment",
    ),
  ),
  claims: extensionField(
    z
      .array(openClaim)
      .describe(
        "What the insight states, in checkable form (docs/rules.md). Empty for findings of an AI model",
      ),
  ),
});
export type InsightWithClaims = z.output<typeof insightWithClaims>;

const insightFilters = {
  game: gameFilter,
  build: buildFilter,
  type: {
    schema: z.enum(insightTypes).optional().describe("Insight type"),
    flag: ["--type <type>", "insight type"],
    label: "Type",
  },
  sentiment: {
    schema: z.enum(sentiments).optional().describe("Sentiment"),
    flag: ["--sentiment <sentiment>", "sentiment"],
    label: "Sentiment",
  },
  ...rangeFilters("insights found", { since: true }),
} as const;

/** Filters that the API document does not list. */
const addedFilters = {
  env: envFilter,
  tag: {
    schema: text(1, MAX_TAG_LENGTH).optional().describe("Exact tag, such as difficulty-spike:furnace"),
    flag: ["--tag <tag>", "exact tag, such as difficulty-spike:furnace"],
    ...{ label: "Tag", placeholder: "difficulty-spike:furnace", suggests: "tag" },
  },
  device: {
    schema: text(1, 256).optional().describe("Tester handle or device ID (without a game: device ID)"),
    flag: ["--device <tester>", "tester handle or device id"],
    ...{ label: "Tester", placeholder: "handle or device" },
  },
} as const;

export const listInsights = defineRead({
  name: "listInsights",
  tool: "list_insights",
  path: "/api/v1/insights",
  summary: "List insights of all sessions, newest first",
  tag: "insights",
  names: { game: "game" },
  paged: true,
  query: listQuery(insightFilters),
  extensions: {
    ...filterShape(addedFilters),
    time: z
      .enum(insightTimes)
      .optional()
      .describe("The time that `from`, `to` and the order refer to (default: createdAt)"),
    include: z.enum(["evidenceIds", "activeSec"]).optional().describe("Also return this field"),
    exclude: z.enum([SESSION_SUMMARY]).optional().describe("Leave out session summaries"),
  },
  response: page(insightItem),
  reasons: { not_found: ["unknown_environment", "unknown_tag", "unknown_tester"] },
});

/** The color of a sentiment. */
export function sentimentTone(sentiment: string): Tone {
  if (sentiment === "positive") return "good";
  return sentiment === "negative" ? "bad" : "muted";
}

const { game: gameOfInsights, build: buildOfInsights, ...ownFilters } = insightFilters;

export const insights = defineResource({
  name: "insights",
  item: insightItem,
  list: listInsights,
  filters: { game: gameOfInsights, build: buildOfInsights, ...addedFilters, ...ownFilters },
  columns: {
    // The tag begins with the type.
    type: { header: "TYPE", wide: true, tone: ({ sentiment }) => sentimentTone(sentiment) },
    title: { header: "TITLE", shrink: 3, minWidth: 16, last: true },
    tag: { header: "TAG", shrink: 2, groups: true, link: "tag" },
    confidence: { header: "STRENGTH", kind: "hundredths" },
    id: { header: "ID", kind: "id" },
    createdAt: { header: "FOUND", kind: "time", wide: true },
    sentiment: { header: "SENTIMENT", wide: true },
    sessionId: { header: "SESSION", wide: true, link: "session" },
  },
  command: {
    path: "insights list",
    summary: "List insights, newest first",
    details:
      "By default, lists the insights of one game. If no game is set, lists the insights of all games of the " +
      "account. Tables leave out session summaries, which `playtest sessions get` shows. AT is how long the session had been " +
      "played when the insight showed. `playtest insights get <id>` shows the evidence, and --wide also STRENGTH, which grows " +
      "with the evidence from 0 to 1 and is not a probability.\n\nWith --by tag, counts the testers of one build who had each " +
      "problem (default: the latest build in production).",
    examples: [
      "insights list --game ember --type difficulty-spike",
      "insights list --build 0.9.0 --sentiment negative --json",
      "insights list --tag difficulty-spike:furnace --since 7d",
      "insights list --by tag --game ember",
    ],
    empty: "No insights match. Omit a filter to see more.",
  },
  dataset: {
    summary: "One row per insight",
    help: "what the analysis found in each session",
    time: "recordedAt",
    itemName: "insight",
    hasEnvironments: false,
    columns: [
      ...["createdAt", "game", "id", "sessionId", "type", "sentiment", "confidence", "tag", "title"],
      ...["recordedAt", "build", "deviceId", "environment", "room", "evidenceIds"],
    ],
  },
  page: {
    title: "Insights",
    columns: ["title", "tag", "confidence", "sentiment", "createdAt"],
    caption: "Insights, newest first",
    empty: "No insights yet. The service finds them when it analyzes sessions.",
    emptyFiltered: "No insights match. Omit a filter to see more.",
  },
});
