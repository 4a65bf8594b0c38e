/** admin games create: a game of the local account. */
import { ensureGame } from "../../../../server/games/games.ts";
import { toGame } from "../../../../server/games/queries.ts";
import { command, createTable } from "../../../command.ts";
import { text } from "../../../flags.ts";
import { gameColumns } from "../../games/columns.ts";
import { adminFlags, administer } from "../administer.ts";

export const createGameCommand = command({
  path: "admin games create",
  summary: "Make a game; one that exists stays as it is",
  args: [{ name: "<slug>", describe: "a-z, 0-9, _ and -" }],
  flags: { ...adminFlags, name: text("--name <name>", "its name, the slug unless told") },
  examples: ['admin games create ember --name "Ember Hollow"'],
  async run(context, { args, flags }) {
    const row = await administer(context, flags, ({ db, service, accountId }) =>
      ensureGame(db, service, accountId, args[0] ?? "", flags.name ? { name: flags.name } : {}),
    );
    const game = toGame(row);
    return { data: { game }, table: createTable([game], gameColumns, "") };
  },
});
