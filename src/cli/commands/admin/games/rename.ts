/** admin games rename: changes the name of a game. */

import { games } from "../../../../contract/games.ts";
import { toColumns } from "../../../../render/tables/resource-columns.ts";
import { renameGame, toGame } from "../../../../server/games/game-queries.ts";
import { command, createTable } from "../../../command.ts";
import { fail } from "../../../errors.ts";
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
      throw fail("usage", {
        message: `A game name must have 1 to ${MAX_NAME} characters, not ${name.length}`,
      });
    }
    const renamed = await administer(context, flags, async ({ db, accountId, note }) => {
      const row = await requireNamedGame(db, accountId, slug);
      note.target = row.id;
      await renameGame(db, row.id, name);
      return { ...row, name };
    });
    const game = toGame(renamed);
    return { data: { game }, table: createTable([game], toColumns(games), "") };
  },
});
