/** The `admin testers` commands: everything that the database holds about a tester. */
import { type ErasureReport, eraseTester, previewErasure } from "../../../server/erasure/erase-tester.ts";
import { exportTester } from "../../../server/erasure/export-tester.ts";
import { findAccountGames } from "../../../server/games/game-queries.ts";
import { formatCount } from "../../../shared/words.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { text, toggle } from "../../flags.ts";
import { confirmDestructive } from "../../prompts.ts";
import { writeNamedFile, writeSecretFile } from "../named-file.ts";
import {
  type AdminContext,
  adminFlags,
  administerInSteps,
  destructiveAdminFlags,
  requireNamedGame,
} from "./administer.ts";
import { erasureResult, listTables, sumRows } from "./erasure-result.ts";

/**
 * The game of the flag --game, or else every game of the account: a game that only a profile or a file sets must not limit an
 * erasure without notice.
 */
async function findTesterGames({ settings }: Context, { db, accountId }: AdminContext) {
  const { game } = settings.flags;
  if (game !== undefined) return [await requireNamedGame(db, accountId, game)];
  return await findAccountGames(db, accountId);
}

export const eraseTesterCommand = command({
  path: "admin testers erase",
  summary: "Erase everything about a tester",
  details:
    "Deletes the tester's sessions with all events, positions, insights, feedback and bug reports, the tester's handles, " +
    "devices, invites and redemptions, and every summary that describes them. Insights of other testers that were compared with " +
    "the deleted sessions are analyzed again. The tester is found by a handle, a device ID or an email address, in all games of the " +
    "account unless you set --game. A device on which several handles have played is not erased with one of them, only its " +
    "sessions of that handle. You can erase while a server is running. If the command is interrupted, run it " +
    "again to continue. Afterwards, telemetry about what was played before the erasure is refused with the reason `erased`; if the " +
    "device plays again, it counts as a new tester.",
  args: [{ name: "<tester>", describe: "tester handle, device id or email address" }],
  flags: {
    ...destructiveAdminFlags,
    dryRun: toggle("--dry-run", "print what would be erased, and erase nothing"),
    receipt: text("--receipt <file>", "write a receipt: rows per table, without the tester's name"),
  },
  examples: [
    "admin testers erase wren --dry-run",
    "admin testers erase wren --game ember --receipt wren.json --yes",
  ],
  async run(context, { args: [name = ""], flags }) {
    const { dryRun, receipt, yes, ...admin } = flags;
    if (dryRun && receipt !== undefined)
      throw fail("usage", { message: "--dry-run and --receipt cannot be used together" });
    return await administerInSteps(context, admin, async ({ service, accountId, run, record }) => {
      const games = await run((step) => findTesterGames(context, step));
      const target = { accountId, name, gameIds: games.map(({ id }) => id) };
      const slugs = games.map(({ slug }) => slug);
      const preview = await previewErasure(service, target);
      const found = listTables(preview.counts);
      if (dryRun)
        return erasureResult(
          { dryRun: true, tester: preview.tester, games: slugs, tables: found, rows: sumRows(found) },
          found,
          `Would erase ${formatCount(sumRows(found), "row")}. Nothing was changed.`,
        );
      const sessions = formatCount(preview.counts.sessions ?? 0, "session");
      await confirmDestructive(
        context.io,
        `Erase ${JSON.stringify(name)} with ${sessions} from ${slugs.join(", ")}?`,
        yes,
      );
      const written = await eraseTester(service, target, {
        begin: (db, tester) => record(db, { target: tester, detail: { games: slugs } }),
        async end(finished) {
          const content = toReceipt(finished, slugs, service.now());
          if (receipt !== undefined)
            await writeNamedFile("receipt", receipt, `${JSON.stringify(content, null, 2)}\n`, context.io, {
              isPrivate: true,
            });
          return content;
        },
      });
      const conclusion = `Erased ${formatCount(written.rows, "row")}. A recount found ${written.remaining}.`;
      return erasureResult(written, written.tables, conclusion);
    });
  },
});

/** What remains of an erasure: a proof that contains no name of the tester. */
function toReceipt(
  { tester, startedAt, counts, remaining }: ErasureReport,
  games: readonly string[],
  now: number,
) {
  const left = new Map<string, number>(Object.entries(remaining ?? {}));
  const tables = listTables(counts).map((one) => ({ ...one, remaining: left.get(one.table) ?? 0 }));
  return {
    tester,
    games,
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(now).toISOString(),
    tables,
    rows: sumRows(tables),
    remaining: [...left.values()].reduce((sum, rows) => sum + rows, 0),
  };
}

export const exportTesterCommand = command({
  path: "admin testers export",
  summary: "Export everything about a tester to a JSON file",
  details:
    "Exports what `playtest admin testers erase` would delete: the tester's sessions with all events, insights, feedback and bug " +
    "reports, handles, invites and redemptions. The tester is found by a handle, a device ID or an email address, in all games " +
    "of the account unless you set --game. Only you can read the file.",
  args: [{ name: "<tester>", describe: "tester handle, device id or email address" }],
  flags: {
    ...adminFlags,
    out: text("--out <file>", "file to write"),
    force: toggle("--force", "overwrite an existing file"),
  },
  examples: ["admin testers export wren --out wren.json"],
  finishesOnSignal: true,
  resumes: true,
  async run(context, { args: [name = ""], flags: { out, force, ...flags } }) {
    if (out === undefined)
      throw fail("usage", {
        message: "No file specified",
        hint: "Add --out <file>. It will contain personal data.",
      });
    return await administerInSteps(context, flags, async ({ service, run }) => {
      const games = await run((step) => findTesterGames(context, step));
      const target = { what: "export", file: out, replace: force };
      const { path, filled } = await writeSecretFile(target, context.io, (write) =>
        service.store.read((db) =>
          exportTester(db, name, games, service.now(), (part) => write(Buffer.from(part))),
        ),
      );
      const sessions = formatCount(filled.sessions, "session");
      const events = formatCount(filled.events, "event");
      return {
        data: { file: path, ...filled },
        view: () => `Exported ${sessions} with ${events} to ${path}.\n`,
      };
    });
  },
});
