/** games get: one game and how much play it has. */
import * as games from "../../../contract/games.ts";
import { renderDetails } from "../../../render/details.ts";
import { formatTime } from "../../../render/time.ts";
import { command, tableOf } from "../../command.ts";
import { gameColumns } from "./columns.ts";

export const getGameCommand = command({
  path: "games get",
  summary: "Show a game, with how many sessions, builds and testers it has",
  args: [{ name: "[game]", describe: "game id or slug; the default game where it is left out" }],
  flags: {},
  examples: ["games get ember", "games get ember --json"],
  async run(context, { args }) {
    const client = await context.client(games);
    const data = await client.getGame({ id: args[0] ?? (await context.game()) });
    const { game, counts } = data;
    return {
      data,
      table: tableOf([game], gameColumns, ""),
      view: (options) =>
        renderDetails(
          [
            ["Game", game.name, "strong"],
            ["Slug", game.slug],
            ["Id", game.id],
            ["Created", formatTime(game.createdAt, options)],
            ["Sessions", counts.sessionCount],
            ["Builds", counts.buildCount],
            ["Testers", counts.testerCount],
          ],
          options,
        ),
    };
  },
});
