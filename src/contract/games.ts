/** Games of an account, and how many sessions, builds and testers they have. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam, unixMs } from "./fields.ts";
import { defineResource } from "./resource.ts";

export const game = z.object({
  id: z.string().describe("ID of the game (`game_...`)"),
  userId: z.string().describe("ID of the account that owns the game"),
  name: z.string(),
  slug: z.string().describe("Short name for URLs and commands, such as ember"),
  createdAt: unixMs.describe("Time of creation, unix ms"),
});
export type Game = z.output<typeof game>;

/** The short form of a game in some responses. */
export const gameRef = z.object({ id: z.string(), slug: z.string(), name: z.string() });

export const listGames = defineRead({
  name: "listGames",
  tool: "list_games",
  path: "/api/v1/games",
  summary: "List all games of the account that the API key belongs to, newest first",
  tag: "games",
  response: z.object({ games: z.array(game) }),
});

export const games = defineResource({
  name: "games",
  item: game,
  list: listGames,
  items: "games",
  filters: {},
  columns: {
    slug: { header: "SLUG", tone: "strong" },
    name: { header: "NAME", shrink: 2 },
    id: { header: "ID", shrink: 1 },
    createdAt: { header: "CREATED", kind: "time" },
    userId: { header: "ACCOUNT", wide: true },
  },
  command: {
    path: "games list",
    summary: "List the account's games, newest first",
    examples: ["games list", "games list --json --jq '.games[].slug'"],
    empty: "No games yet.",
  },
});

export const getGame = defineRead({
  name: "getGame",
  tool: "get_game",
  path: "/api/v1/games/{id}",
  summary: "Get a game and its number of sessions, builds and testers",
  tag: "games",
  names: { id: "game" },
  params: z.object({ id: gameParam }),
  response: z.object({
    game,
    counts: z.object({
      sessionCount: count,
      buildCount: count.describe("Number of builds, not counting sessions without one (`unknown`)"),
      testerCount: count.describe(
        "Number of distinct devices; a session without one counts as its own tester",
      ),
    }),
  }),
});
