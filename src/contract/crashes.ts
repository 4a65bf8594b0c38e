/** Crashes that games reported, grouped by their stack signature. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam, orNull, page, unixMs } from "./fields.ts";
import { buildFilter, envFilter, pageQuery, rangeQuery, requireOrderedRange } from "./filters.ts";

/** The maximum number of builds that a list shows for each group. */
export const MAX_CRASH_BUILDS = 10;

export const crashGroup = z.object({
  signature: z
    .string()
    .describe("The kind of crash and the top frames of the stack, or else the message without numbers"),
  message: orNull(z.string()).describe("Of the last crash"),
  crashCount: count,
  sessionCount: count.describe("Number of sessions that crashed"),
  testerCount: count.describe("Number of testers"),
  builds: z
    .array(z.object({ build: z.string(), crashCount: count, testerCount: count }))
    .describe(`The last one first; at most ${MAX_CRASH_BUILDS}`),
  buildCount: count.describe("Number of builds"),
  firstSeen: unixMs.describe("When the first session that crashed started, unix ms"),
  lastSeen: unixMs.describe("When the last session that crashed started, unix ms"),
  firstBuild: z.string(),
  lastBuild: z.string(),
  sessionId: z.string().describe("The session with the event of the last crash"),
  eventId: z.string().describe("ID of the event of the last crash"),
});
export type CrashGroup = z.output<typeof crashGroup>;

export const listCrashes = defineRead({
  name: "listCrashes",
  tool: "list_crashes",
  path: "/api/v1/crashes/{game}",
  summary: "List crashes grouped by stack signature, with their testers and builds",
  tag: "sessions",
  extension: true,
  names: { game: "game", build: "build" },
  paged: true,
  params: z.object({ game: gameParam }),
  query: requireOrderedRange(
    z.object({
      build: buildFilter.optional(),
      env: envFilter.optional().describe("Environment, or `all` (default: production)"),
      from: rangeQuery.from.describe("Only sessions recorded at or after this time, unix ms"),
      to: rangeQuery.to.describe("Only sessions recorded at or before this time, unix ms"),
      ...pageQuery,
    }),
  ),
  response: page(crashGroup).extend({
    environment: z.string(),
    crashCount: count.describe("Number of crashes in all groups"),
    testerCount: count.describe("Number of testers with a crash in any group"),
    testersInScope: count.describe("Number of testers who played, with or without a crash"),
    notGrouped: z
      .object({
        pruned: count.describe("Number of sessions whose events retention removed"),
        damaged: count.describe("Number of sessions whose events cannot be read"),
        unread: count.describe("Older sessions. Filter by build or time to read them"),
      })
      .describe("Sessions with crashes that are in no group"),
  }),
  errors: ["not_found"],
  reasons: { not_found: ["unknown_environment"] },
});
export type CrashPage = z.output<typeof listCrashes.response>;
