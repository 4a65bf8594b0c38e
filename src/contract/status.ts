/** What happened in the latest build of a game: one answer for whoever has just come back. */
import * as z from "zod";
import { DAY_MS } from "../shared/time-units.ts";
import { buildParam } from "./builds.ts";
import { defineRead } from "./define.ts";
import { count, extensionField, openEnum, unixMs } from "./fields.ts";
import { envFilter } from "./filters.ts";
import { game } from "./games.ts";
import { sessionMoment, verdict } from "./verdict.ts";

/** The maximum number of problems in a status, and the days in which its recent sessions were played. */
export const MAX_STATUS_PROBLEMS = 3;
export const RECENT_DAYS = 7;

/** When recent sessions begin, unix ms: with whole days in UTC, so that their number depends on the day but not on the hour. */
export const findRecentStart = (now: number): number => (Math.floor(now / DAY_MS) - RECENT_DAYS + 1) * DAY_MS;

const problem = z.object({
  id: z.string().describe("The friction tag, or such as `quit:furnace`"),
  title: z.string().describe("The problem in words"),
  testers: count.describe("Testers who met it"),
  outOf: count.describe("Testers who could meet it"),
  who: openEnum(["testers", "entered", "answered"]).describe("Who could meet it"),
  sessions: z.array(sessionMoment).describe("Sessions to watch, the clearest first"),
});
export type Problem = z.output<typeof problem>;

/** A figure of the build, and of the build before it. */
const figure = z.object({
  before: z.number().nullable().describe("Null without a build before, or if nobody counts in it"),
  now: z.number(),
});

const status = z.object({
  game,
  environment: z.string(),
  build: z
    .object({
      version: z.string(),
      testers: count,
      sessions: count,
      lastPlayedAt: unixMs.describe("When the last session of the build started, unix ms"),
      medianSec: z.number().nullable().describe("Median wall time of its sessions in seconds"),
      crashes: count.nullable().describe("Testers who had a crash; null if not known"),
      unanalyzed: count.nullable().describe("Ended sessions that are not analyzed yet; null if not known"),
      failed: count.nullable().describe("Sessions whose analysis failed; null if not known"),
      outdated: extensionField(
        count.describe("Sessions that older rules analyzed, and that are analyzed again in the background"),
      ),
      outdatedPruned: extensionField(
        count.describe("Sessions that are analyzed only by older rules, because their events are pruned"),
      ),
      failure: extensionField(
        z.string().nullable().describe("Why most of these analyses failed; null if none failed"),
      ),
    })
    .nullable()
    .describe("Null if the game has no build with sessions in the environment"),
  noBuild: extensionField(
    z
      .string()
      .nullable()
      .describe("Why there is no latest build although builds were played, and what to do; otherwise null"),
  ),
  recentSessions: count.describe(`Sessions of all builds today and on the ${RECENT_DAYS} days before (UTC)`),
  verdict: verdict.nullable().describe("The build against the one before it; null if there is none"),
  skipped: extensionField(
    z
      .array(z.string())
      .describe("Later builds that the verdict does not compare with, because they have too few testers"),
  ),
  fixFirst: z
    .array(problem)
    .describe(`At most ${MAX_STATUS_PROBLEMS} problems, by the testers affected and how sure that is`),
  mostQuit: z
    .object({ room: z.string(), quit: count, entered: count })
    .nullable()
    .describe("The room in which most testers quit; null if nobody quit"),
  rating: figure
    .extend({ label: z.string().describe("The question that most testers answered") })
    .nullable()
    .describe("Mean points of the rating that most testers gave; null without ratings"),
  completed: figure
    .extend({
      rooms: extensionField(
        z
          .enum(["all", "both"])
          .describe("Whether all rooms count, or only those of both builds because one of them has others"),
      ),
    })
    .nullable()
    .describe("Share of entered rooms that testers completed, from 0 to 1; null if they completed none"),
});
export type Status = z.output<typeof status>;

/** The fields of a status that need a build with sessions, for a game without one. */
export const NO_PLAY = {
  build: null,
  verdict: null,
  skipped: [],
  fixFirst: [],
  mostQuit: null,
  rating: null,
  completed: null,
} satisfies Partial<Status>;

export const getStatus = defineRead({
  name: "getStatus",
  tool: "get_status",
  path: "/api/v1/status/{game}",
  summary: "Say what happened in the latest build of a game: the verdict, and what to fix first",
  tag: "builds",
  extension: true,
  names: { build: "build" },
  query: z.object({
    build: buildParam.optional().describe("Build version (default: the latest build)"),
    env: envFilter.optional().describe("Environment of the sessions, or `all` (default: production)"),
  }),
  response: status,
});
