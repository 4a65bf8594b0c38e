/** games list: all games of the account. */
import * as games from "../../../contract/games.ts";
import { gameColumns } from "../../../render/tables/games.ts";
import { command, createTable } from "../../command.ts";

export const listGamesCommand = command({
  path: "games list",
  summary: "List the account's games, newest first",
  args: [],
  flags: {},
  examples: ["games list", "games list --json --jq '.games[].slug'"],
  async run(context) {
    const client = await context.client(games);
    const data = await client.listGames();
    return { data, table: createTable(data.games, gameColumns, "No games yet.") };
  },
});
