/** admin games rename: another name for a game. */
import { renameGame, toGame } from "../../../../server/games/queries.ts";
import { command, createTable } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { gameColumns } from "../../games/columns.ts";
import { adminFlags, administer, requireNamedGame } from "../administer.ts";

const MAX_NAME = 200;

export const renameGameCommand = command({
  path: "admin games rename",
  summary: "Rename a game. Its slug and id do not change",
  args: [
    { name: "<slug>", describe: "game slug or id" },
    { name: "<name>", describe: `new name, 1 to ${MAX_NAME} characters` },
  ],
  flags: adminFlags,
  examples: ['admin games rename ember "Ember Hollow: Director\'s Cut"'],
  async run(context, { args, flags }) {
    const [slug = "", name = ""] = args;
    if (name.trim() === "" || name.length > MAX_NAME) {
      throw fail("usage", { message: `A game's name has 1 to ${MAX_NAME} characters, not ${name.length}` });
    }
    const row = await administer(context, flags, async ({ db, accountId }) => {
      const found = await requireNamedGame(db, accountId, slug);
      await renameGame(db, found.id, name);
      return { ...found, name };
    });
    const game = toGame(row);
    return { data: { game }, table: createTable([game], gameColumns, "") };
  },
});
