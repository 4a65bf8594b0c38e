/** Drop-off: in which rooms the testers of a build quit. */
import * as z from "zod";
import { sessionStates } from "./build-facts.ts";
import { defineRead } from "./define.ts";
import { count, gameParam, orNull, pathText } from "./fields.ts";
import { envFilter } from "./filters.ts";
import { game } from "./games.ts";
import { shareInterval } from "./result-fields.ts";

/** The maximum number of rooms in a response: those that most testers quit in. */
export const MAX_DROPOFF_ROOMS = 100;

const dropoffRoom = z.object({
  room: z.string(),
  entered: count.describe("Testers who entered the room"),
  completed: count.describe("Of these, who completed it"),
  quit: count.describe("Of these, who quit in it and completed it in no later session"),
  quitShare: z.number().min(0).max(1).describe("quit divided by entered"),
  interval: shareInterval.describe("95%"),
  medianActiveSec: orNull(z.number()).describe(
    "Median active time in the room over the testers who quit in it, in seconds",
  ),
});
export type DropoffRoom = z.output<typeof dropoffRoom>;

export const getBuildDropoff = defineRead({
  name: "getBuildDropoff",
  tool: "get_dropoff",
  path: "/api/v1/builds/{game}/{version}/dropoff",
  summary: "Show in which rooms the testers of a build quit, with the counts of the scorecard",
  tag: "builds",
  extension: true,
  names: { version: "build" },
  params: z.object({ game: gameParam, version: pathText.describe("Build version") }),
  query: z.object({
    env: envFilter.optional().describe("Environment of the sessions, or `all` (default: production)"),
  }),
  response: z.object({
    game,
    version: z.string(),
    environment: z.string(),
    sessions: sessionStates.describe("Number of sessions of the build by state"),
    testers: count.describe("Testers with a device id and an ended session"),
    hasTimedSessions: z
      .boolean()
      .describe("Whether most sessions are equally long, so that a clock may have ended them"),
    rooms: z.array(dropoffRoom).describe(`At most ${MAX_DROPOFF_ROOMS}, the most quit ones first`),
  }),
  reasons: { not_found: ["unknown_environment"] },
});
export type BuildDropoff = z.output<typeof getBuildDropoff.response>;
