/** The commands about games. */
import type { Output } from "../../../contract/define.ts";
import { forms } from "../../../contract/forms.ts";
import * as contract from "../../../contract/games.ts";
import { games } from "../../../contract/games.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { renderDetails } from "../../../render/details.ts";
import { defineColumns, prefixColumns, toColumns } from "../../../render/tables/columns.ts";
import { formatTime } from "../../../render/time.ts";
import { command, createTable } from "../../command.ts";
import { createListCommand } from "../resource-commands.ts";

type GameDetails = Output<typeof contract.getGame>;

const columns: readonly TableColumn<GameDetails>[] = [
  ...prefixColumns("game", toColumns(contract.games)),
  ...defineColumns<GameDetails>({
    "counts.sessionCount": { header: "SESSIONS" },
    "counts.buildCount": { header: "BUILDS" },
    "counts.testerCount": { header: "TESTERS" },
  }),
];

const getGameCommand = command({
  path: "games get",
  summary: "Show a game and its number of sessions, builds and testers",
  args: [{ name: "[game]", describe: "game id or slug (default: the configured game)" }],
  examples: ["games get ember", "games get ember --json"],
  async run(context, { args }) {
    const client = await context.client(contract);
    const data = await client.getGame({ id: args[0] ?? (await context.requireGame()) });
    const { game, counts } = data;
    return {
      data,
      table: createTable([data], columns, ""),
      view: (options) =>
        renderDetails(
          [
            ["Game", game.name, "strong"],
            ["Slug", game.slug],
            ["ID", game.id],
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

export const commands = [createListCommand(games), getGameCommand, createListCommand(forms)];
