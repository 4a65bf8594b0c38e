/** Which parts of a game's data changed, for copies that are kept up to date. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { gameParam, text, unixMs } from "./fields.ts";
import { game } from "./games.ts";

/** The maximum number of hours in one response. */
export const MAX_CHANGED_HOURS = 1000;

export const listChanges = defineRead({
  name: "listChanges",
  tool: null,
  path: "/api/v1/changes/{game}",
  summary: "List the hours whose sessions, insights or feedback changed since a cursor",
  tag: "sessions",
  extension: true,
  names: { game: "game" },
  params: z.object({ game: gameParam }),
  query: z.object({
    since: text(1, 100)
      .optional()
      .describe("`cursor` of an earlier response (default: no hours, only a cursor to start from)"),
  }),
  response: z.object({
    game,
    hours: z
      .array(unixMs)
      .describe(
        `Starts of UTC hours, unix ms; at most ${MAX_CHANGED_HOURS}. In each, sessions started or feedback arrived, of which something was added, changed or deleted. An hour may be repeated`,
      ),
    hasMore: z.boolean().describe("Whether to continue now, with `cursor`"),
    cursor: z.string().describe("The `since` of the next request"),
  }),
  errors: ["not_found"],
});
export type ChangeList = z.output<typeof listChanges.response>;
