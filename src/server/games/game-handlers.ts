/** Handlers of the games endpoints. */
import { CONSOLE, EXTENSIONS_HEADER, formatExtensions } from "../../contract/announcement.ts";
import type { getGame, listGames } from "../../contract/games.ts";
import { endpoints } from "../../contract/index.ts";
import type { Handler } from "../accounts/handler.ts";
import { findAccountGames, readGameCounts, requireGame, toGame } from "./game-queries.ts";

export const handleListGames: Handler<typeof listGames> = async (_input, call) => {
  const { db, accountId, responseHeaders, hasConsole } = call;
  responseHeaders[EXTENSIONS_HEADER] = formatExtensions([
    ...Object.values(endpoints),
    ...(hasConsole ? [CONSOLE] : []),
  ]);
  const rows = await findAccountGames(db, accountId);
  return { games: rows.map(toGame) };
};

export const handleGetGame: Handler<typeof getGame> = async ({ id }, { db, accountId }) => {
  const row = await requireGame(db, accountId, id);
  return { game: toGame(row), counts: await readGameCounts(db, row.id) };
};
