/** Games: what an account owns, and how much play each has. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam, unixMs } from "./fields.ts";

export const game = z.object({
  id: z.string().describe("game_..."),
  userId: z.string().describe("The owning account"),
  name: z.string(),
  slug: z.string(),
  createdAt: unixMs.describe("Unix ms"),
});
export type Game = z.output<typeof game>;

/** A game where the API names it by these fields alone. */
export const gameRef = z.object({ id: z.string(), slug: z.string(), name: z.string() });

export const listGames = defineRead({
  name: "listGames",
  tool: "list_games",
  path: "/api/v1/games",
  summary: "Every game of the key's account, newest first",
  tag: "games",
  response: z.object({ games: z.array(game) }),
});

export const getGame = defineRead({
  name: "getGame",
  tool: "get_game",
  path: "/api/v1/games/{id}",
  summary: "One game, with how many sessions, builds and testers it has",
  tag: "games",
  names: { id: "game" },
  params: z.object({ id: gameParam }),
  response: z.object({
    game,
    counts: z.object({
      sessionCount: count,
      buildCount: count,
      testerCount: count.describe("Distinct devices"),
    }),
  }),
  errors: ["not_found"],
});
