/**
 * The facts of a build: what each tester did in each session. A scorecard is computed from the facts of two builds.
 */
import * as z from "zod";
import { FRAME_BOUNDS_MS } from "../shared/frame-times.ts";
import { buildParam } from "./builds.ts";
import { defineRead } from "./define.ts";
import { count, gameParam, openEnum, pathText } from "./fields.ts";
import { envFilter } from "./filters.ts";
import { game } from "./games.ts";

/** The default and the maximum number of testers on a page. */
export const MAX_TESTER_PAGE = 1000;

/** The maximum number of sessions listed for one tester: the first ones. */
export const MAX_TESTER_SESSIONS = 100;

const seconds = z.number().min(0);

const roomFacts = z.object({
  room: z.string().describe("Name of the room as it appears in tags"),
  afterSec: seconds.describe("Active time of the session when it first entered the room, in seconds"),
  activeSec: seconds.describe("Active time in the room, in seconds"),
  completed: z
    .boolean()
    .describe("Whether a visit to the room had a success after which nothing in the visit failed or gave up"),
  quit: z
    .boolean()
    .describe(
      "Whether the session ended in the room without completing it in its last visit, and not by a crash",
    ),
  gaveUp: z.boolean().describe("Whether the session quit in the room with a giving-up event"),
  failed: z.boolean().describe("Whether the session failed in the room"),
});

const tagFacts = z.object({
  tag: z.string(),
  afterSec: seconds
    .nullable()
    .describe(
      "Active time of the session when the friction had shown, in seconds; null if it is not about one moment",
    ),
});

const answerFacts = z.object({
  field: z.string().describe("ID of the form and ID of the field, such as `form_1/fun`"),
  kind: openEnum(["rating", "yes-no"]),
  value: z.number().describe("The points of a rating, or 1 for yes and 0 for no"),
});

const measured = z.number().min(0);

const roomPerformance = z.object({
  room: z.string().nullable().describe("Name of the room; null for what the game sent without one"),
  frames: z
    .array(measured)
    .describe(
      `Number of frames by frame time. The buckets end at ${FRAME_BOUNDS_MS.join(", ")} ms, and the last one has no end. Empty ones at the end are left out`,
    ),
  memoryMb: measured.nullable().describe("The most memory that was used, in MB"),
  loadMs: measured.nullable().describe("Mean time that the room took to load, in ms"),
});
export type RoomPerformance = z.output<typeof roomPerformance>;

/** What a session shows of the performance of the game. */
export const sessionPerformance = z.object({
  platform: z.string(),
  rooms: z.array(roomPerformance),
});

export const sessionFacts = z.object({
  startSec: seconds.describe("Time from the first session of the tester in the build, in seconds"),
  activeSec: seconds.describe("Active time, in seconds"),
  wallSec: seconds.describe("Wall time, in seconds"),
  analyzed: z
    .boolean()
    .describe(
      "Whether the session is analyzed. Otherwise its rooms, its tags and whether it crashed are not known",
    ),
  crashed: z.boolean().describe("Whether the game crashed in the session"),
  rooms: z.array(roomFacts).describe("Rooms in the order in which the session first entered them"),
  tags: z.array(tagFacts).describe("Friction tags, each once"),
  questions: z
    .array(z.string())
    .describe("Form fields that the player answered, each once, by their names in tags"),
  answers: z
    .array(answerFacts)
    .describe("Answers to rating and yes-no fields, in the order of their arrival"),
  performance: sessionPerformance
    .nullish()
    .describe("Frame times, memory and load times. Absent if the game sent none"),
});

export const testerFacts = z.object({
  tester: z
    .string()
    .nullable()
    .describe(
      "Keyed hash of the device, equal in all builds of the game and different in other games; null for a session without a device",
    ),
  isReturning: z
    .boolean()
    .nullable()
    .describe("Whether the tester had played another build before; null for a session without a device"),
  observedSec: seconds.describe("Time from the first session to now, in seconds"),
  sessions: z
    .array(sessionFacts)
    .describe(`Ended sessions in the order of recordedAt: the first ${MAX_TESTER_SESSIONS}`),
});
export type BuildTesterFacts = z.output<typeof testerFacts>;

export const sessionStates = z.object({
  open: count.describe("Sessions that may still receive events. Facts leave them out"),
  analyzed: count,
  unanalyzed: count.describe("Ended sessions that are not analyzed yet, or not by rules that report facts"),
  failed: count.describe("Sessions whose analysis failed"),
  failure: z.string().optional().describe("Why most of these analyses failed. Absent if none failed"),
  late: count
    .optional()
    .describe(
      "Sessions that were received after the build to compare with was registered. They are left out. Absent if none",
    ),
});

export const formField = z.object({ field: z.string(), formName: z.string(), label: z.string() });

export const getBuildFacts = defineRead({
  name: "getBuildFacts",
  tool: null,
  path: "/api/v1/builds/{game}/{version}/facts",
  summary:
    "List what each tester of a build did, by first session: rooms, friction tags, ratings and play time of each session",
  tag: "builds",
  extension: true,
  names: { version: "build", comparedWith: "build" },
  params: z.object({ game: gameParam, version: pathText.describe("Build version") }),
  query: z.object({
    env: envFilter.optional().describe("Environment of the sessions, or `all` (default: production)"),
    comparedWith: buildParam
      .optional()
      .describe(
        "Later build to compare with. Sessions that were received after it was registered are left out",
      ),
    limit: z
      .int()
      .min(1)
      .optional()
      .describe(`Maximum number of testers (default: ${MAX_TESTER_PAGE}; capped at ${MAX_TESTER_PAGE})`),
    offset: z.int().min(0).optional().describe("Number of testers to skip (default: 0)"),
  }),
  response: z.object({
    game,
    version: z.string(),
    environment: z.string(),
    analysisVersions: z
      .array(z.int())
      .describe("Versions of the rules that analyzed the sessions of the build, in ascending order"),
    sessions: sessionStates.describe("Number of sessions of the build by state"),
    fields: z
      .array(formField)
      .describe("The form fields of the answers on this page, with the label of the newest answer"),
    testers: z.array(testerFacts),
    hasMore: z
      .boolean()
      .describe("Whether there are more testers. A page may have fewer of them than the limit"),
    total: count.describe("Number of testers of the build in the environment with an ended session"),
  }),
  reasons: { not_found: ["unknown_environment"] },
});
export type BuildFacts = z.output<typeof getBuildFacts.response>;
