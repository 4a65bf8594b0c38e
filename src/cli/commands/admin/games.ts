/** The `admin games` commands. */
import { games } from "../../../contract/games.ts";
import { toColumns } from "../../../render/tables/columns.ts";
import { deleteGame, wasGameDeleted } from "../../../server/erasure/delete-session.ts";
import { requirePurged } from "../../../server/erasure/erase-tester.ts";
import {
  findAccountGames,
  findGame,
  readGameCounts,
  renameGame,
  toGame,
} from "../../../server/games/game-queries.ts";
import { ensureGame, requireValidSlug } from "../../../server/games/games.ts";
import { formatCount } from "../../../shared/words.ts";
import { command, createTable } from "../../command.ts";
import { fail } from "../../errors.ts";
import { text } from "../../flags.ts";
import { confirmDestructive } from "../../prompts.ts";
import {
  adminFlags,
  administer,
  administerInSteps,
  administerNew,
  creatingAdminFlags,
  destructiveAdminFlags,
  requireNamedGame,
} from "./administer.ts";
import { erasureResult, listTables, sumRows } from "./erasure-result.ts";
import { createAdminListCommand } from "./list-command.ts";

export const createGameCommand = command({
  path: "admin games create",
  summary: "Create a game, or return the existing one",
  args: [{ name: "<slug>", describe: "game slug (a-z, 0-9, _ and -)" }],
  flags: { ...creatingAdminFlags, name: text("--name <name>", "game name (default: the slug)") },
  examples: ['admin games create ember --name "Ember Hollow"'],
  async run(context, { args, flags }) {
    const [slug = ""] = args;
    requireValidSlug(slug);
    const name = flags.name ? { name: flags.name } : {};
    const row = await administerNew(context, flags, async ({ db, service, accountId, target }) =>
      target(await ensureGame(db, service, accountId, slug, name)),
    );
    if (flags.name && row.name !== flags.name) {
      const current = `Game ${JSON.stringify(row.slug)} already exists with the name ${JSON.stringify(row.name)}`;
      await context.notify(`${current}. Its name was not changed; use \`playtest admin games rename\`.`);
    }
    const game = toGame(row);
    return { data: { game }, table: createTable([game], toColumns(games), "") };
  },
});

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
    const renamed = await administer(context, flags, async ({ db, accountId, target }) => {
      const row = target(await requireNamedGame(db, accountId, slug));
      await renameGame(db, row.id, name);
      return { ...row, name };
    });
    const game = toGame(renamed);
    return { data: { game }, table: createTable([game], toColumns(games), "") };
  },
});

export const deleteGameCommand = command({
  path: "admin games delete",
  summary: "Delete a game with everything in it",
  details:
    "Deletes the game with its sessions, testers, forms, experiments, playtest batches and settings, and the ingest keys that " +
    "are limited to it. If the command is interrupted, run it again to continue.",
  args: [{ name: "<game>", describe: "game slug or id" }],
  flags: destructiveAdminFlags,
  examples: ["admin games delete ember --yes"],
  async run(context, { args: [name = ""], flags: { yes, ...flags } }) {
    return await administerInSteps(context, flags, async ({ service, accountId, run, record }) => {
      const found = await run(async ({ db }) => {
        // A game that is gone may still be in the files, if an earlier run was interrupted or could not empty them.
        if (!(await findGame(db, accountId, name)) && (await wasGameDeleted(db, accountId, name)))
          return null;
        const row = await requireNamedGame(db, accountId, name);
        return { game: row, sessions: (await readGameCounts(db, row.id)).sessionCount };
      });
      if (found === null) {
        await requirePurged(service.store);
        return erasureResult({ deleted: null, tables: [], rows: 0 }, [], `${name} was already deleted.`);
      }
      const { game, sessions } = found;
      await confirmDestructive(
        context.io,
        `Delete the game ${game.slug} with ${formatCount(sessions, "session")}?`,
        yes,
      );
      const counts = await deleteGame(service, game, (db) =>
        record(db, { target: game.id, detail: { slug: game.slug } }),
      );
      await requirePurged(service.store);
      const tables = listTables(counts);
      const data = { deleted: { id: game.id, slug: game.slug }, tables, rows: sumRows(tables) };
      return erasureResult(data, tables, `Deleted the game ${game.slug}.`);
    });
  },
});

export const listGamesCommand = createAdminListCommand({
  path: "admin games list",
  summary: "List an account's games, newest first",
  examples: ["admin games list", "admin games list --account studio --json"],
  field: "games",
  columns: toColumns(games),
  empty: "No games yet. Run `playtest admin games create <slug>` to create one.",
  read: async ({ db, accountId }) => (await findAccountGames(db, accountId)).map(toGame),
});
