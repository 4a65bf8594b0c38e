/** Drop-off: in which rooms the sessions of a build ended, and what came last. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam, orNull, pathText } from "./fields.ts";
import { envFilter } from "./filters.ts";
import { game } from "./games.ts";
import { shareInterval } from "./intervals.ts";

/** The maximum number of rooms in a response: those with the most sessions that ended in them. */
export const MAX_DROPOFF_ROOMS = 100;
/** The maximum number of last events per room. */
export const MAX_LAST_EVENTS = 3;
/** A room only stands out if at least this many testers entered it. The gate requires as many testers per build. */
export const MIN_DROPOFF_TESTERS = 5;

const lastEvent = z.object({
  name: z.string().describe("Name of the last event that shows player activity, other than a position"),
  sessions: count,
});

const dropoffRoom = z.object({
  room: orNull(z.string()).describe("Null for sessions whose last activity is outside of any room"),
  sessionsEntered: count.describe("Sessions that entered the room. Without a room: all sessions"),
  sessionsEnded: count.describe("Sessions whose last player activity was in the room"),
  completed: count.describe("Of these, sessions that ended after a success in the room"),
  crashed: count.describe("Of the others, sessions in which the game crashed after entering the room"),
  quit: count.describe("Sessions that ended in the room without a success and without a crash"),
  quitShare: z.number().min(0).max(1).describe("quit divided by sessionsEntered"),
  interval: shareInterval.describe("95% Wilson interval of quitShare"),
  testersQuit: count.describe("Testers with a device id who quit in the room"),
  testersNotBack: count.describe("Of these, testers with no later session in any build so far"),
  medianActiveSec: orNull(z.number()).describe(
    "Median active time in the room over the sessions that quit in it, in seconds",
  ),
  lastEvents: z.array(lastEvent).describe(`Of the sessions that quit: at most ${MAX_LAST_EVENTS}`),
  test: orNull(
    z.object({
      testersEntered: count.describe("Testers whose last session of the build entered the room"),
      testersQuit: count.describe("Of these, testers who quit in it"),
      adjustedP: z.number().min(0).max(1),
    }),
  ).describe(
    `Whether testers quit here more often than in the other rooms, by the last session of each tester: Fisher's exact test, one-sided, corrected for the number of rooms. Null if fewer than ${MIN_DROPOFF_TESTERS} testers entered the room`,
  ),
  standsOut: z.boolean().describe("Whether adjustedP is at most 0.05"),
});
export type DropoffRoom = z.output<typeof dropoffRoom>;

export const getBuildDropoff = defineRead({
  name: "getBuildDropoff",
  tool: "get_dropoff",
  path: "/api/v1/builds/{game}/{version}/dropoff",
  summary: "Show in which rooms the sessions of a build ended, what came last, and who did not come back",
  tag: "builds",
  extension: true,
  names: { game: "game", version: "build" },
  params: z.object({ game: gameParam, version: pathText.describe("Build version") }),
  query: z.object({
    env: envFilter.optional().describe("Environment of the sessions, or `all` (default: production)"),
  }),
  response: z.object({
    game,
    version: z.string(),
    environment: z.string(),
    sessions: z.object({
      total: count.describe("Sessions of the build in the environment"),
      read: count.describe("Sessions whose end is counted"),
      open: count.describe("Sessions that are still open or not analyzed yet, which are left out"),
      withoutEvents: count.describe(
        "Sessions without stored events, such as pruned ones, which are left out",
      ),
      unreadable: count.describe("Sessions with damaged events, which are left out"),
      skipped: count.describe("Older sessions that were not read, because the build has too many events"),
    }),
    testers: z.object({
      read: count.describe("Testers with a device id and a session whose end is counted"),
      notBack: count.describe("Of these, testers who quit their last session and have no later one so far"),
    }),
    rooms: z.array(dropoffRoom).describe(`At most ${MAX_DROPOFF_ROOMS}, the most quit ones first`),
  }),
  errors: ["not_found"],
});
export type BuildDropoff = z.output<typeof getBuildDropoff.response>;
