/** admin games delete: deletes a game with everything in it. */
import { deleteGame, wasGameDeleted } from "../../../../server/erasure/delete-game.ts";
import { purgePrevented } from "../../../../server/erasure/erase-tester.ts";
import { findGame, readGameCounts } from "../../../../server/games/game-queries.ts";
import { formatCount } from "../../../../server/insights/wording.ts";
import { command } from "../../../command.ts";
import { confirmDestructive } from "../../../confirm-destructive.ts";
import { administerInSteps, destructiveAdminFlags, requireNamedGame } from "../administer.ts";
import { erasureResult, listTables, sumRows } from "../erasure-result.ts";

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
      const purge = async () => {
        if (!(await service.store.purgeDeleted())) throw purgePrevented();
      };
      if (found === null) {
        await purge();
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
      await purge();
      const tables = listTables(counts);
      const data = { deleted: { id: game.id, slug: game.slug }, tables, rows: sumRows(tables) };
      return erasureResult(data, tables, `Deleted the game ${game.slug}.`);
    });
  },
});
