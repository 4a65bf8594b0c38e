/** admin games create: creates a game. */

import { games } from "../../../../contract/games.ts";
import { toColumns } from "../../../../render/tables/resource-columns.ts";
import { toGame } from "../../../../server/games/game-queries.ts";
import { ensureGame, requireValidSlug } from "../../../../server/games/games.ts";
import { command, createTable } from "../../../command.ts";
import { text } from "../../../flags.ts";
import { administerNew, creatingAdminFlags } from "../administer.ts";

export const createGameCommand = command({
  path: "admin games create",
  summary: "Create a game, or return the existing one",
  args: [{ name: "<slug>", describe: "game slug (a-z, 0-9, _ and -)" }],
  flags: { ...creatingAdminFlags, name: text("--name <name>", "game name (default: the slug)") },
  examples: ['admin games create ember --name "Ember Hollow"'],
  async run(context, { args, flags }) {
    const [slug = ""] = args;
    requireValidSlug(slug);
    const row = await administerNew(context, flags, async ({ db, service, accountId, note }) => {
      const created = await ensureGame(db, service, accountId, slug, flags.name ? { name: flags.name } : {});
      note.target = created.id;
      return created;
    });
    if (flags.name && row.name !== flags.name) {
      const current = `Game ${JSON.stringify(row.slug)} already exists with the name ${JSON.stringify(row.name)}`;
      await context.notify(`${current}. Its name was not changed; use \`playtest admin games rename\`.`);
    }
    const game = toGame(row);
    return { data: { game }, table: createTable([game], toColumns(games), "") };
  },
});
