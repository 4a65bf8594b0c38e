/** server backup: copies the database to a folder while servers use it, and removes old copies. */
import { join, resolve } from "node:path";
import { readArchive } from "../../../server/archive/reader.ts";
import { writeArchive } from "../../../server/archive/writer.ts";
import {
  type BackupManifest,
  commitBackup,
  getBackupPrefix,
  getDraftPath,
  hashFile,
  nameBackup,
  removeOldBackups,
  removeUnfinished,
} from "../../../server/backups/backup-files.ts";
import { ServiceError } from "../../../server/core/errors.ts";
import { isPostgres, openStore, redactPassword, type Upgrade } from "../../../server/db/open.ts";
import { copySqlite } from "../../../server/db/sqlite-copy.ts";
import { inspectSqlite } from "../../../server/db/sqlite-inspect.ts";
import { tableNames } from "../../../server/db/tables.ts";
import { openAtomicFile, PRIVATE_MODE } from "../../../shared/atomic-file.ts";
import { version } from "../../../shared/version.prepared.ts";
import { command, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { withFileLock } from "../../file-lock.ts";
import { integer, text } from "../../flags.ts";
import { createBackupFolder } from "./backup-flags.ts";
import { chooseDatabase, requireDatabase } from "./choose-database.ts";
import { warnIfEmpty } from "./export.ts";
import { openFile } from "./import-files.ts";
import { existingDatabaseFlag } from "./local.ts";

const MAX_KEPT = 10_000;

export const backupCommand = command({
  path: "server backup",
  summary: "Back up the local database to a folder",
  details:
    "You can back up while servers are running; they do not wait. A backup of a database file is a database file, " +
    "and a backup of a Postgres database is an archive as from `playtest server export`. The backup is read back " +
    "and checked before it gets its name, and only then does --keep remove older backups of the same database. " +
    "Other files in the folder are never removed. A second backup to the same folder at the same time fails with " +
    "exit code 13. What a killed backup has left is removed by the next one. Backups contain the testers' texts " +
    "and the keys of model providers, so only their owner can read them. Use `playtest server restore` to restore " +
    "one.",
  flags: {
    database: existingDatabaseFlag,
    out: text("--out <folder>", "folder of the backups (required; created if missing)"),
    keep: integer(
      "--keep <n>",
      "number of backups to keep, including the new one (default: all)",
      1,
      MAX_KEPT,
    ),
  },
  examples: ["server backup --out backups --keep 7", "server backup --out nightly --keep 30 --json"],
  finishesOnSignal: true,
  async run(context, { flags }) {
    const { io } = context;
    if (flags.out === undefined) {
      throw fail("usage", { message: "--out is required", hint: "Specify a folder with --out." });
    }
    const database = await chooseDatabase(context, flags.database);
    if (database === ":memory:")
      throw fail("usage", {
        message: "An in-memory database cannot be backed up",
        hint: "Specify the database of a server with --database.",
      });
    await requireDatabase(io, database);
    const folder = resolve(io.cwd, flags.out);
    createBackupFolder(folder, "--out");
    const lock = join(folder, `.${getBackupPrefix(redactPassword(database))}backup.lock`);
    return await withFileLock(io, { path: lock, work: "backup" }, () =>
      backUp(context, database, folder, flags.keep),
    );
  },
});

async function backUp(
  context: Context,
  database: string,
  folder: string,
  keep: number | undefined,
): Promise<Result> {
  const { io } = context;
  const location = redactPassword(database);
  await removeUnfinished(folder, location);
  const createdAt = io.now();
  const path = nameBackup(folder, location, createdAt);
  const write = isPostgres(database) ? writeArchiveDraft : writeSqliteDraft;
  const rows = await write(context, database, getDraftPath(path), createdAt);
  await context.progress("Computing the checksum");
  const hashed = await hashFile(getDraftPath(path), io.signal);
  const manifest: BackupManifest = {
    backup: path.slice(folder.length + 1),
    database: location,
    createdAt: new Date(createdAt).toISOString(),
    version,
    ...hashed,
    rows,
  };
  await commitBackup(path, manifest);
  const removed = keep === undefined ? [] : await removeOldBackups(path, location, keep);
  const size = `${(hashed.bytes / 1024 ** 2).toFixed(1)} MiB`;
  const removal =
    removed.length === 0
      ? ""
      : ` Removed ${removed.length} older ${removed.length === 1 ? "backup" : "backups"}.`;
  return {
    data: { ...manifest, backup: path, removed },
    view: () => `Backed up ${location} to ${path} (${size}, ${rows} rows, checked).${removal}\n`,
  };
}

/** Copies a database file. Returns the number of rows. */
async function writeSqliteDraft(context: Context, database: string, draft: string): Promise<number> {
  const { games } = await inspectSqlite(database);
  if (games === 0) await context.notify(`Warning: the database ${database} has no games.`);
  const onProgress = (part: number) => void context.progress(`Copying ${Math.floor(part * 100)} %`);
  const counts = await copySqlite(database, draft, { signal: context.io.signal, onProgress });
  await inspectSqlite(draft);
  return tableNames.reduce((total, table) => total + (counts[table] ?? 0), 0);
}

/** Writes an archive of a Postgres database, and reads it back. Returns the number of rows. */
async function writeArchiveDraft(
  context: Context,
  database: string,
  draft: string,
  now: number,
): Promise<number> {
  const { signal } = context.io;
  const store = await openStore({
    database,
    mustExist: true,
    allowsReadOnly: true,
    onUpgrade: refuseUpgrade,
  });
  const file = await openAtomicFile(draft, { temporaryPath: draft, mode: PRIVATE_MODE });
  try {
    await warnIfEmpty(context, store);
    const onTable = (table: string) => context.progress(`Exporting ${table}`);
    const written = await writeArchive(store, (bytes) => file.write(bytes), { now, signal, onTable });
    await file.close();
    await context.progress("Checking the backup");
    const parts = readArchive((await openFile(draft, context)).lines, draft);
    let read = await parts.next();
    while (!read.done) read = await parts.next();
    if (read.value.sha256 !== written.sha256) {
      throw new ServiceError("unusable", {
        message: `The backup ${draft} differs from what was written`,
        hint: "Check the disk, then run the command again.",
      });
    }
    return written.rows;
  } catch (error) {
    await file.discard();
    throw error;
  } finally {
    await store.close();
  }
}

/** A backup must not update the schema, because servers of the previous version may still be running. */
async function refuseUpgrade({ location }: Upgrade): Promise<void> {
  throw new ServiceError("unusable", {
    message: `The database ${location} has the schema of an older version of playtest`,
    hint: "Back it up with the version that its servers run, or start a server of this version to update it.",
  });
}
