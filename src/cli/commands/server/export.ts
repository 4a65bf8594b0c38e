/** server export: exports the whole local database to one file. */
import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";
import { renderTable } from "../../../render/table.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { cleanLine } from "../../../render/text.ts";
import { isFilled } from "../../../server/archive/archive-queries.ts";
import type { ArchiveChecksum, TableChecksum } from "../../../server/archive/format.ts";
import { writeArchive } from "../../../server/archive/writer.ts";
import { type Store, withStore } from "../../../server/db/open.ts";
import { command, createTable, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { toggle } from "../../flags.ts";
import { writeSecretFile } from "../named-file.ts";
import { chooseDatabase, requireDatabase } from "./choose-database.ts";
import { existingDatabaseFlag, reportUpgrade } from "./local.ts";

/** How many hexadecimal digits of a hash the table shows. */
const SHOWN_HASH_DIGITS = 12;

const columns = defineColumns<TableChecksum>({
  table: { header: "TABLE" },
  rows: { header: "ROWS" },
  sha256: {
    header: `SHA-256 (FIRST ${SHOWN_HASH_DIGITS})`,
    format: ({ sha256 }) => sha256.slice(0, SHOWN_HASH_DIGITS),
  },
});

/** The result of an export or import. `conclusion` is the last line for people. */
export function archiveResult(
  archive: string,
  database: string,
  checksum: ArchiveChecksum,
  conclusion: string,
): Result {
  return {
    data: { archive, database, ...checksum },
    table: createTable(checksum.tables, columns, "No tables."),
    view: (options) => `${renderTable(checksum.tables, columns, options)}\n${cleanLine(conclusion)}\n`,
  };
}

/** The archive name for standard output. */
const STDOUT = "-";

export const exportCommand = command({
  path: "server export",
  summary: "Export the whole local database to an archive file",
  details:
    "Use `playtest server import` to load the archive into an empty database, on another machine or another " +
    "database engine. All keys remain valid. You can export while a server is running; the archive is a " +
    "consistent snapshot. It contains the testers' texts and the keys of model providers, so only its owner can read " +
    "the file. The command prints the number of rows per table: `keys` holds hashes of API keys, and `playtest_keys` " +
    "fingerprints of playtest keys. With --skip-damaged, rows of a damaged database file that cannot be read are left " +
    "out and counted, and the command exits with 12. Sessions of which events are missing keep their results, as after pruning.",
  args: [{ name: "<archive>", describe: "archive file (always gzip), or - for standard output" }],
  flags: {
    database: existingDatabaseFlag,
    force: toggle("--force", "overwrite an existing archive"),
    skipDamaged: toggle("--skip-damaged", "save what can be read of a damaged database file"),
  },
  examples: ["server export studio.ndjson.gz", "server export --database old.db --force studio.ndjson.gz"],
  finishesOnSignal: true,
  async run(context, { args: [archive = STDOUT], flags }) {
    const { io } = context;
    if (archive === STDOUT && io.out.isTTY) {
      throw fail("usage", {
        message: "An archive cannot be written to a terminal",
        hint: "Pass a file name, or redirect standard output to a file.",
      });
    }
    const database = await chooseDatabase(context, flags.database);
    await requireDatabase(io, database);
    const request = { database, archive, force: flags.force };
    if (!flags.skipDamaged) return await exportDatabase(context, request);
    const folder = archive === STDOUT ? tmpdir() : dirname(resolve(io.cwd, archive));
    const { exportReadable } = await import("./export-readable.ts");
    return await exportReadable(context, { database, folder }, (store) =>
      writeArchiveFile(context, store, request),
    );
  },
});

interface ExportRequest {
  readonly database: string;
  readonly archive: string;
  readonly force: boolean;
}

async function exportDatabase(context: Context, request: ExportRequest): Promise<Result> {
  const { database } = request;
  const onUpgrade = reportUpgrade(context);
  return await withStore({ database, mustExist: true, allowsReadOnly: true, onUpgrade }, async (store) => {
    await warnIfEmpty(context, store);
    return await writeArchiveFile(context, store, request);
  });
}

/** Writes the archive of an open database to a file or to standard output. */
async function writeArchiveFile(
  context: Context,
  store: Store,
  { archive, force }: ExportRequest,
): Promise<Result> {
  if (archive === STDOUT) return await exportToStdout(context, store);
  const target = { what: "archive", file: archive, replace: force };
  const { path, filled } = await writeSecretFile(target, context.io, (write) =>
    writeArchiveTo(context, store, write),
  );
  const conclusion = `Exported ${filled.tables.length} tables to ${archive}.`;
  return archiveResult(path, store.location, filled, conclusion);
}

/** Warns about a database without games, because an export of the wrong database otherwise looks like a success. */
export async function warnIfEmpty(context: Context, { readDb, location }: Store): Promise<void> {
  if (await isFilled(readDb, "games")) return;
  await context.notify(`Warning: the database ${location} has no games.`);
}

async function exportToStdout(context: Context, store: Store) {
  const { rows, tables } = await writeArchiveTo(context, store, (bytes) => context.io.out.write(bytes));
  await context.notify(`Exported ${rows} rows from ${tables.length} tables.`);
  return { data: undefined };
}

async function writeArchiveTo(context: Context, store: Store, write: (bytes: Uint8Array) => Promise<void>) {
  return await writeArchive(store, write, {
    now: context.io.now(),
    signal: context.io.signal,
    onTable: (table) => context.progress(`Exporting ${table}`),
  });
}
