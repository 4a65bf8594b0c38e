/** admin games list: lists the games of an account. */

import { gameColumns } from "../../../../render/tables/games.ts";
import { findAccountGames, toGame } from "../../../../server/games/queries.ts";
import { command, createTable } from "../../../command.ts";
import { adminFlags, administer } from "../administer.ts";

export const listGamesCommand = command({
  path: "admin games list",
  summary: "List an account's games, newest first",
  args: [],
  flags: adminFlags,
  examples: ["admin games list", "admin games list --account studio --json"],
  async run(context, { flags }) {
    const rows = await administer(context, flags, ({ db, accountId }) => findAccountGames(db, accountId));
    const games = rows.map(toGame);
    const empty = "No games yet. Run `playtest admin games create <slug>` to create one.";
    return { data: { games }, table: createTable(games, gameColumns, empty) };
  },
});
