/** server restore: replaces a database with a backup, and keeps the old one. */
import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { parseHeader } from "../../../server/archive/format.ts";
import { recordChange } from "../../../server/audit/audit.ts";
import { findManifest, hashFile, listBackups, nameWithTime } from "../../../server/backups/backup-files.ts";
import { systemDependencies } from "../../../server/core/dependencies.ts";
import { isPostgres, type Store, withStore } from "../../../server/db/open.ts";
import { copySqlite, isSqliteFile } from "../../../server/db/sqlite-copy.ts";
import { inspectSqlite, readSqlite } from "../../../server/db/sqlite-inspect.ts";
import { type PreviousDatabase, replaceSqlite } from "../../../server/db/sqlite-replace.ts";
import { eraseFromCopy } from "../../../server/erasure/erase-again.ts";
import { type Erasures, findErasures } from "../../../server/erasure/erase-again-queries.ts";
import type { RowCounts } from "../../../server/erasure/row-queries.ts";
import { command, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { withFileLock } from "../../file-lock.ts";
import { text, toggle } from "../../flags.ts";
import { confirmDestructive, yesFlag } from "../../prompts.ts";
import { requireReadable } from "../../telemetry-files/lines.ts";
import { listTables, sumRows } from "../admin/erasure-result.ts";
import { toAction } from "./audited.ts";
import { type ArchiveTarget, loadArchive, readArchiveErasures } from "./import-archive.ts";
import { openFile } from "./import-files.ts";
import { databasePath } from "./local.ts";
import { requireNoServer } from "./registry.ts";

export const restoreCommand = command({
  path: "server restore",
  summary: "Replace the local database with a backup",
  details:
    "The backup is a file or a folder of `playtest server backup`, or an archive of `playtest server export`. " +
    "From a folder, the newest backup of the database is restored. The backup is checked and, if an older version " +
    "made it, updated first. A database that it replaces is kept next to the new one, and its name is printed. If " +
    "the command is killed, the old or the new database is in place, never a part of one. Stop the server first: " +
    "a database in use is never replaced. A Postgres database must be empty. What was erased from the replaced database " +
    "is erased from the restored one; without one, what was erased from the database of the backup. If neither can be " +
    "read, pass a newer backup, archive or database with --erasures-from. With --without-erasures, testers that were " +
    "erased after the backup was made come back.",
  args: [{ name: "<backup>", describe: "backup, archive, or folder of backups" }],
  flags: {
    database: text(
      "--database <file>",
      "database file to replace, or an empty postgres://… database (default: in the state folder)",
    ),
    erasures: text(
      "--erasures-from <backup>",
      "newer backup, archive or database: what was erased in it is erased again",
    ),
    withoutErasures: toggle(
      "--without-erasures",
      "bring back testers that were erased after the backup was made",
    ),
    yes: yesFlag,
  },
  examples: [
    "server restore backups --database restored.db",
    "server restore studio.ndjson.gz --database restored.db --yes",
  ],
  finishesOnSignal: true,
  async run(context, { args: [given = ""], flags }) {
    const { io } = context;
    const database = databasePath(io, flags.database);
    if (database === ":memory:") {
      throw fail("usage", {
        message: "An in-memory database cannot be restored",
        hint: "Specify a database file with --database.",
      });
    }
    if (flags.erasures !== undefined && flags.withoutErasures)
      throw fail("usage", { message: "--without-erasures cannot be used with --erasures-from" });
    const backup = await findBackup(context, resolve(io.cwd, given), database);
    await requireIntact(context, backup);
    const erasures = flags.erasures === undefined ? null : await readErasures(context, flags.erasures);
    const source = { backup, erasures, withoutErasures: flags.withoutErasures };
    if (isPostgres(database)) return await restoreToPostgres(context, source, database);
    const target = resolveLink(database);
    const lock = { path: `${target}.restore.lock`, work: "restore" };
    return await withFileLock(io, lock, () => restoreToFile(context, source, target, flags.yes));
  },
});

interface Source {
  readonly backup: string;
  /** What was erased from the database of a newer backup. */
  readonly erasures: Erasures | null;
  /** Whether what was erased after the backup may come back. */
  readonly withoutErasures: boolean;
}

/** The backup at a path, or the newest one of the database in a folder. */
async function findBackup({ io }: Context, path: string, database: string): Promise<string> {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    await requireReadable([path], io);
    return path;
  }
  const backups = await listBackups(path);
  const databases = [...new Set(backups.map((backup) => backup.database))];
  const [newest] = databases.length > 1 ? backups.filter((backup) => backup.database === database) : backups;
  if (newest) return newest.path;
  throw fail("config", {
    message:
      backups.length === 0
        ? `${path} has no backups`
        : `${path} has backups of several databases: ${databases.join(", ")}`,
    hint:
      backups.length === 0
        ? "Specify a backup file, or the --out folder of `playtest server backup`."
        : "Specify the backup file to restore.",
  });
}

/** Throws `config` if a backup differs from its manifest. */
async function requireIntact(context: Context, backup: string): Promise<void> {
  const manifest = await findManifest(backup);
  if (manifest === null) return;
  await context.progress("Checking the backup");
  const { sha256 } = await hashFile(backup, context.io.signal);
  if (sha256 === manifest.sha256) return;
  throw fail("config", {
    message: `The backup ${backup} is damaged: its checksum differs from its manifest`,
    hint: "Restore an older backup.",
  });
}

/** What was erased from a newer backup, archive or database. */
async function readErasures(context: Context, given: string): Promise<Erasures | null> {
  if (isPostgres(given)) {
    const options = { database: given, mustExist: true, allowsReadOnly: true };
    return await withStore(options, ({ readDb }) => findErasures(readDb));
  }
  const path = resolve(context.io.cwd, given);
  await requireReadable([path], context.io);
  await requireIntact(context, path);
  return isSqliteFile(path) ? await readSqlite(path, findErasures) : await readArchiveErasures(context, path);
}

async function restoreToFile(
  context: Context,
  source: Source,
  database: string,
  yes: boolean,
): Promise<Result> {
  const { io } = context;
  await requireNoServer(io, database);
  const kept = nameWithTime(`${database}.before-restore-`, io.now());
  const isReplaced = existsSync(database) && statSync(database).size > 0;
  if (isReplaced) {
    const question = `Replace the database ${database}? The old one is kept as ${kept}.`;
    await confirmDestructive(io, question, yes);
  }
  const draft = `${database}.restore.tmp`;
  const build = async (previous: PreviousDatabase) => {
    await buildDraft(context, source, draft, () => findPreviousErasures(source, previous));
  };
  const wasReplaced = await replaceSqlite({ target: database, kept, draft, build });
  const note = wasReplaced ? ` The old database is in ${kept}.` : "";
  return {
    data: { backup: source.backup, database, kept: wasReplaced ? kept : null },
    view: () => `Restored ${source.backup} to ${database}.${note}\n`,
  };
}

/**
 * What was erased from the replaced database, or, without one, from the database of the backup. Throws `usage` if nothing
 * shows what was erased since.
 */
async function findPreviousErasures(source: Source, previous: PreviousDatabase): Promise<Erasures | null> {
  if (source.withoutErasures) return null;
  let reason = "there is no newer database to read erasures from";
  try {
    if (previous === "unreadable") reason = "the replaced database cannot be read";
    else if (previous !== null) return await findErasures(previous);
    else {
      const { database = "" } = (await findManifest(source.backup)) ?? {};
      if (isSqliteFile(database)) return await readSqlite(database, findErasures);
    }
  } catch {
    // A damaged page is often found only when it is read, and a damaged database is a common reason to restore one.
    reason = "the newer database cannot be read";
  }
  requireErasures(source, reason);
  return null;
}

/** Throws `usage` if erased testers would come back without anybody having agreed. */
function requireErasures({ erasures, withoutErasures }: Source, reason: string): void {
  if (erasures !== null || withoutErasures) return;
  throw fail("usage", {
    message: `Testers that were erased after the backup was made would come back: ${reason}`,
    hint: "Pass a newer backup, archive or database with --erasures-from, or accept this with --without-erasures.",
  });
}

/** Finds what was erased since, once it is clear that the backup can be read. */
type FindPrevious = () => Promise<Erasures | null>;

/** Writes the restored database to a new file, with the current schema. */
async function buildDraft(
  context: Context,
  { backup, erasures }: Source,
  draft: string,
  findPrevious: FindPrevious,
): Promise<void> {
  const { signal } = context.io;
  const record = (store: Store, erased: RowCounts) => recordRestore(context, store, backup, erased);
  if (!isSqliteFile(backup)) {
    await restoreArchiveFile(context, backup, findPrevious, { database: draft, erasures, onLoaded: record });
    return;
  }
  await inspectSqlite(backup);
  const previous = await findPrevious();
  const onProgress = (part: number) => void context.progress(`Copying ${Math.floor(part * 100)} %`);
  await copySqlite(backup, draft, { signal, onProgress });
  await withStore({ database: draft, copiesBeforeUpgrade: false }, async (restored) =>
    record(restored, await eraseFromCopy(restored, { previous, erasures }, context.io.now())),
  );
}

/** Adds a row to the audit of the restored database, whose other rows are those of the backup. */
async function recordRestore(
  { command, io }: Context,
  store: Store,
  backup: string,
  erased: RowCounts,
): Promise<void> {
  const detail = { backup: basename(backup), erasedRows: sumRows(listTables(erased)) };
  const change = {
    action: toAction(command),
    actor: "operator",
    accountId: null,
    target: null,
    detail,
  } as const;
  const { newId } = systemDependencies;
  await store.write((db) => recordChange(db, { now: () => io.now(), newId }, change));
}

async function restoreToPostgres(context: Context, source: Source, database: string): Promise<Result> {
  const { backup, erasures } = source;
  if (isSqliteFile(backup)) {
    throw fail("usage", {
      message: `${backup} is a database file, which cannot be restored to Postgres`,
      hint: "Restore it to a new file, export that, then import the archive into Postgres.",
    });
  }
  const findPrevious = async () => {
    requireErasures(source, "an empty Postgres database does not show what was erased since");
    return null;
  };
  const location = await restoreArchiveFile(context, backup, findPrevious, {
    ...{ database, erasures },
    onLoaded: (store, erased) => recordRestore(context, store, backup, erased),
  });
  return {
    data: { backup, database: location, kept: null },
    view: () => `Restored ${backup} to ${location}.\n`,
  };
}

/** Loads an archive into an empty database. Returns the location of the database for messages. */
async function restoreArchiveFile(
  context: Context,
  backup: string,
  findPrevious: FindPrevious,
  target: Omit<ArchiveTarget, "previous">,
): Promise<string> {
  const opened = await openFile(backup, context);
  const header = opened.first && parseHeader(opened.first.text, backup);
  if (!header) {
    throw fail("config", {
      message: `${backup} is neither a database file nor an archive`,
      hint: "Specify a file that a backup or an export of the server has written.",
    });
  }
  const previous = await findPrevious();
  return (await loadArchive(context, opened, header, { ...target, previous })).location;
}

/**
 * The file that a symbolic link leads to. Otherwise the link would be replaced, which moves the database to another folder, and
 * the old database would be kept only as a link.
 */
function resolveLink(database: string): string {
  const isLink = lstatSync(database, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink && existsSync(database) ? realpathSync(database) : database;
}
