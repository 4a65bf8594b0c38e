/** Games and how much play they have. */
import type { getGame, listGames } from "../../contract/games.ts";
import type { Handler } from "../accounts/handler.ts";
import { countPlay, gameOf, gamesOf, requireGame } from "./queries.ts";

export const handleListGames: Handler<typeof listGames> = async (_input, { db, accountId }) => {
  const rows = await gamesOf(db, accountId);
  return { games: rows.map(gameOf) };
};

export const handleGetGame: Handler<typeof getGame> = async ({ id }, { db, accountId }) => {
  const row = await requireGame(db, accountId, id);
  return { game: gameOf(row), counts: await countPlay(db, row.id) };
};
