/** Drop-off: in which rooms the sessions of a build ended, and what came last. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam, orNull, pathText } from "./fields.ts";
import { envFilter } from "./filters.ts";
import { game } from "./games.ts";
import { shareInterval } from "./result-fields.ts";

/** The maximum number of rooms in a response: those with the most sessions that ended in them. */
export const MAX_DROPOFF_ROOMS = 100;
/** The maximum number of last events per room. */
export const MAX_LAST_EVENTS = 3;
/** A room only stands out if at least this many testers entered it. The gate requires as many testers per build. */
export const MIN_DROPOFF_TESTERS = 5;

const lastEvent = z.object({
  name: z.string().describe("The last event of player activity, other than positions"),
  sessions: count,
});

const dropoffRoom = z.object({
  room: orNull(z.string()).describe("Null outside of any room"),
  sessionsEntered: count.describe("Sessions that entered the room"),
  sessionsEnded: count.describe("Sessions whose last activity was in the room"),
  completed: count.describe("Of these, after a success in the room"),
  crashed: count.describe("Of the others, with a crash in the room"),
  quit: count.describe("Ended without a success and without a crash"),
  quitShare: z.number().min(0).max(1).describe("quit divided by sessionsEntered"),
  interval: shareInterval.describe("95%"),
  testersQuit: count.describe("With a device id"),
  testersNotBack: count.describe("Who have not played any build since"),
  medianActiveSec: orNull(z.number()).describe(
    "Median active time in the room over the sessions that quit in it, in seconds",
  ),
  lastEvents: z.array(lastEvent).describe(`Of the sessions that quit: at most ${MAX_LAST_EVENTS}`),
  test: orNull(
    z.object({
      testersEntered: count.describe("By their last session of the build"),
      testersQuit: count.describe("Of these, who quit in it"),
      adjustedP: z.number().min(0).max(1),
    }),
  ).describe(
    `Fisher's exact test whether testers quit here more often than in the other rooms. Null below ${MIN_DROPOFF_TESTERS} testers`,
  ),
  standsOut: z.boolean().describe("adjustedP is at most 0.05"),
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
      total: count.describe("Sessions of the build"),
      read: count.describe("Sessions whose end is counted"),
      open: count.describe("Still open or not analyzed yet"),
      withoutEvents: count.describe("Without stored events, such as pruned ones"),
      unreadable: count.describe("With damaged events"),
      skipped: count.describe("Older ones, because of too many events"),
    }),
    testers: z.object({
      read: count.describe("With a device id"),
      notBack: count.describe("Who quit and have not played any build since"),
    }),
    rooms: z.array(dropoffRoom).describe(`At most ${MAX_DROPOFF_ROOMS}, the most quit ones first`),
  }),
  errors: ["not_found"],
  reasons: { not_found: ["unknown_environment"] },
});
export type BuildDropoff = z.output<typeof getBuildDropoff.response>;
