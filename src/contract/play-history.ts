/**
 * The play history of a build's testers: how much each of them played, where, and which friction tags their sessions have.
 * A comparison of two builds needs it to judge a tag among the testers who could meet it.
 */
import * as z from "zod";
import { MAX_TESTER_PAGE, MAX_TESTER_SESSIONS } from "./build-facts.ts";
import { defineRead } from "./define.ts";
import { count, gameParam, pathText } from "./fields.ts";
import { envFilter } from "./filters.ts";
import { game } from "./games.ts";

/** The default and the maximum number of testers on a page. */
export const MAX_HISTORY_PAGE = MAX_TESTER_PAGE;

/** The maximum number of sessions listed for one tester: the first ones. */
export const MAX_HISTORY_SESSIONS = MAX_TESTER_SESSIONS;

const roomHistory = z.object({
  room: z.string().describe("Name of the room as it appears in tags"),
  activeSec: z
    .number()
    .min(0)
    .describe("Active time in the room until its first completion, or in total without one, in seconds"),
});

export const sessionHistory = z.object({
  activeSec: z.number().min(0).describe("Active time, in seconds"),
  wallSec: z.number().min(0).describe("Wall time, in seconds"),
  bugReports: count.describe("Number of insights of type `bug-report`"),
  rooms: z.array(roomHistory).describe("Rooms that the session entered, each once"),
  questions: z
    .array(z.string())
    .optional()
    .describe("Form fields that the player answered, each once, by their names in tags"),
  tags: z.array(z.string()).describe("Friction tags of the session"),
});
export type SessionHistory = z.output<typeof sessionHistory>;

export const testerHistory = z.object({
  anonymous: z.boolean().describe("Whether this is a session without a device id, whose tester is not known"),
  sessions: z
    .array(sessionHistory)
    .describe(`Sessions in the order of recordedAt: the first ${MAX_HISTORY_SESSIONS}`),
});
export type TesterHistory = z.output<typeof testerHistory>;

export const getBuildExposure = defineRead({
  name: "getBuildExposure",
  tool: null,
  path: "/api/v1/builds/{game}/{version}/exposure",
  summary:
    "List the testers of a build by first session, with the play time, rooms and friction tags of each session",
  tag: "builds",
  extension: true,
  names: { game: "game", version: "build" },
  params: z.object({ game: gameParam, version: pathText.describe("Build version") }),
  query: z.object({
    env: envFilter.optional().describe("Environment of the sessions, or `all` (default: production)"),
    limit: z
      .int()
      .min(1)
      .optional()
      .describe(`Maximum number of testers (default: ${MAX_HISTORY_PAGE}; capped at ${MAX_HISTORY_PAGE})`),
    offset: z.int().min(0).optional().describe("Number of testers to skip (default: 0)"),
  }),
  response: z.object({
    game,
    version: z.string(),
    environment: z.string(),
    analysisVersions: z
      .array(z.int())
      .describe("Versions of the rules that analyzed the sessions of the build, in ascending order"),
    testers: z.array(testerHistory),
    hasMore: z
      .boolean()
      .describe("Whether there are more testers. A page may have fewer of them than the limit"),
    total: count.describe("Number of testers of the build in the environment"),
  }),
  errors: ["not_found"],
  reasons: { not_found: ["unknown_environment"] },
});
export type BuildHistory = z.output<typeof getBuildExposure.response>;

/**
 * Why it is not known what the testers of two builds played: the service has no such endpoint or its response is invalid,
 * the key may not read it, or the builds have too many testers to read all of them.
 */
export type UnknownHistory = "unsupported" | "invalid" | "forbidden" | "too-many";

/** What the testers of two builds played. */
export interface KnownHistory {
  readonly a: readonly TesterHistory[];
  readonly b: readonly TesterHistory[];
}

/** What the testers of two builds played, or why that is not known. */
export type ComparedHistory = KnownHistory | UnknownHistory;
