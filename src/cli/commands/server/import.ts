/** server import: imports telemetry files, or an archive of a whole database, into the local database. */
import { parseHeader } from "../../../server/archive/format.ts";
import { isPostgres } from "../../../server/db/open.ts";
import { command, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { type FlagValues, text, toggle } from "../../flags.ts";
import { requireReadable } from "../../telemetry-files/lines.ts";
import { toResult } from "../../telemetry-files/report.ts";
import { recordImport } from "./audited.ts";
import { importFiles, type OpenedFile, openFile, unexpectedArchive } from "./import-files.ts";
import { databaseFlags, databasePath, isMissingFile, withLocal } from "./local.ts";

const importFlags = {
  ...databaseFlags,
  erasures: text("--erasures-from <archive>", "newer archive: what was erased in it is erased again"),
  createGames: toggle("--create-games", "create games that do not exist"),
} as const;

export const importCommand = command({
  path: "server import",
  summary: "Import telemetry files or an archive into the local database",
  details:
    "Telemetry files have the same format as for `playtest ingest telemetry` and are analyzed after the " +
    "import. Each line needs a `gameId`. You can import them while a server is running. An archive from `playtest server export` is " +
    "detected by its first line. It must be the only file, and the database must be empty. If the import is " +
    "interrupted, run the command again to continue: until then, no other command opens a database file, and a Postgres " +
    "database is empty. The result is verified with counts and hashes. Testers and sessions that were " +
    "erased after an old archive was exported come back with it, unless you pass a newer archive with --erasures-from. Neither " +
    "--create-games nor --now can be used with an archive.",
  args: [{ name: "<file...>", describe: "files, or - for standard input" }],
  flags: importFlags,
  examples: [
    "server import play.ndjson.gz --create-games",
    "server import studio.ndjson.gz --database new.db",
    "server import old.ndjson.gz --erasures-from new.ndjson.gz --database week.db",
  ],
  finishesOnSignal: true,
  // An import into Postgres is stored completely or not at all.
  resumes: ({ database }) => !isPostgres(database ?? ""),
  async run(context, { args, flags }) {
    await requireReadable(args, context.io);
    const opened = await openFile(args[0] ?? "", context);
    const header = opened.first && parseHeader(opened.first.text, opened.file);
    const database = databasePath(context.io, flags.database);
    if (header) {
      if (args.length > 1) throw unexpectedArchive(opened.file);
      refuseTelemetryFlags(flags);
      const { importArchive } = await import("./import-archive.ts");
      return await reportingKeptDatabase(context, database, () =>
        importArchive(context, opened, header, flags),
      );
    }
    if (flags.erasures !== undefined)
      throw fail("usage", {
        message: "--erasures-from can only be used with an archive",
        hint: "Omit --erasures-from. Late telemetry about what was erased is refused anyway.",
      });
    return await reportingKeptDatabase(context, database, () =>
      importTelemetry(context, args, flags, opened),
    );
  },
});

/**
 * Runs an import. If it fails after it has created the database, a notice says that the file was kept. It is never deleted,
 * even if it is empty, because another process may already have opened it.
 */
async function reportingKeptDatabase(
  context: Context,
  database: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const isNew = isMissingFile(database);
  try {
    return await work();
  } catch (error) {
    if (isNew && !isMissingFile(database) && !context.io.signal.aborted)
      await context.notify(`The import failed. The new database ${database} was kept.`);
    throw error;
  }
}

async function importTelemetry(
  context: Context,
  files: readonly string[],
  flags: FlagValues<typeof importFlags>,
  opened: OpenedFile,
): Promise<Result> {
  return await withLocal(context, flags, async (local) => {
    // What a power failure takes away is imported again with the same files.
    const reports = await local.service.store.syncLater(async () => {
      const imported = await importFiles(context, local, files, flags.createGames, opened);
      await recordImport(context, local, imported);
      await context.progress("Analyzing sessions");
      await local.analysis.drain();
      return imported;
    });
    return toResult(reports);
  });
}

/** Throws `usage` for flags that only apply to telemetry. */
function refuseTelemetryFlags(flags: {
  readonly createGames: boolean;
  readonly now: number | undefined;
}): void {
  const flag = flags.createGames ? "--create-games" : flags.now === undefined ? null : "--now";
  if (flag === null) return;
  throw fail("usage", {
    message: `${flag} cannot be used with an archive`,
    hint: `Omit ${flag}. An archive is imported unchanged, with its own games and times.`,
  });
}
