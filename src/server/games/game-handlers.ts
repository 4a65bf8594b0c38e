/** Handlers of the games endpoints. */
import type { getGame, listGames } from "../../contract/games.ts";
import type { Handler } from "../accounts/handler.ts";
import { findAccountGames, readGameCounts, requireGame, toGame } from "./game-queries.ts";

export const handleListGames: Handler<typeof listGames> = async (_input, { db, accountId }) => {
  const rows = await findAccountGames(db, accountId);
  return { games: rows.map(toGame) };
};

export const handleGetGame: Handler<typeof getGame> = async ({ id }, { db, accountId }) => {
  const row = await requireGame(db, accountId, id);
  return { game: toGame(row), counts: await readGameCounts(db, row.id) };
};
