/** Replaces a SQLite database with another file, so that a crash at any moment leaves either the old or the new one. */
import { constants, existsSync, statSync } from "node:fs";
import { copyFile, link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Kysely } from "kysely";
import { syncFolder } from "../../shared/atomic-file.ts";
import { ServiceError } from "../core/errors.ts";
import { notPlaytestDatabase, readMigrations } from "./migrate.ts";
import type { Db, Schema } from "./schema.ts";
import { loadDriver, type SqliteConnection, sqliteDialect } from "./sqlite.ts";
import { removeSqlite } from "./sqlite-copy.ts";

interface SqliteReplacement {
  readonly target: string;
  /** The name under which the old database is kept. */
  readonly kept: string;
  /** The file that replaces it, in the same folder. `build` creates it. */
  readonly draft: string;
  /** Creates the draft, and closes it. */
  build(previous: PreviousDatabase): Promise<void>;
}

/** The database that is replaced: null if there is none. It is unreadable if it is damaged, or if a newer version has written it. */
export type PreviousDatabase = Db | "unreadable" | null;

/**
 * Builds a new database and puts it in the place of the old one. No other process can open the old one meanwhile. Returns
 * whether there was an old one. Throws `in_use` if a process uses it, and otherwise what `build` throws.
 */
export async function replaceSqlite({ target, kept, draft, build }: SqliteReplacement): Promise<boolean> {
  await removeSqlite(draft);
  const previous = isPresent(target) ? await openExclusively(target) : null;
  try {
    await build(previous && (previous.db ?? "unreadable"));
    await finishDraft(draft);
    if (previous) await keepOld(target, kept, previous.db === null);
    await rename(draft, target);
    await syncFolder(dirname(target));
    return previous !== null;
  } finally {
    await removeSqlite(draft);
    await previous?.close();
  }
}

const isPresent = (file: string) => existsSync(file) && statSync(file).size > 0;

/** The result codes of SQLite (https://sqlite.org/rescode.html). */
const [BUSY, LOCKED, CORRUPT, NOT_A_DATABASE] = [5, 6, 11, 26] as const;

interface ExclusiveDatabase {
  /** Null if the database is damaged, or if a newer version has written it. */
  readonly db: Kysely<Schema> | null;
  close(): Promise<void>;
}

/** Locks a database so that no other process can open it, and moves its write-ahead log into the file. */
async function openExclusively(file: string): Promise<ExclusiveDatabase> {
  const { DatabaseSync } = (await loadDriver()).driver;
  const connection = new DatabaseSync(file);
  try {
    // Leaving the write-ahead log fails if any other connection is open, even an idle one.
    connection.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE; COMMIT");
    return await readOld(connection, file);
  } catch (cause) {
    connection.close();
    const { errcode } = cause as { readonly errcode?: number };
    if (errcode === BUSY || errcode === LOCKED) throw inUse(file, cause);
    if (errcode === NOT_A_DATABASE) throw notPlaytestDatabase(file, cause);
    // A damaged database is a common reason to restore one.
    if (errcode === CORRUPT) return { db: null, close: async () => {} };
    throw cause;
  }
}

async function readOld(connection: SqliteConnection, file: string): Promise<ExclusiveDatabase> {
  const db = new Kysely<Schema>({ dialect: sqliteDialect(connection, "begin") });
  const { unknown } = await readMigrations(db, file);
  return {
    db: unknown.length === 0 ? db : null,
    async close() {
      // The next read after the change releases the lock. A driver may keep a closed connection until its statements are garbage.
      connection.exec("PRAGMA locking_mode = NORMAL; SELECT 1 FROM sqlite_schema LIMIT 1");
      await db.destroy();
    },
  };
}

function inUse(file: string, cause: unknown): ServiceError {
  return new ServiceError("in_use", {
    message: `The database ${file} is in use by another process`,
    hint: "Stop the server and the commands that use it, then run the command again.",
    cause,
  });
}

/** Flushes the draft to disk. Its connections are closed, so that its write-ahead log is empty. */
async function finishDraft(draft: string): Promise<void> {
  const log = statSync(`${draft}-wal`, { throwIfNoEntry: false });
  if (log && log.size > 0) throw new Error(`${draft}-wal is not empty`);
  const handle = await open(draft, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives the old database a second name, so that the rename of the draft replaces only its first one. */
async function keepOld(target: string, kept: string, isUnreadable: boolean): Promise<void> {
  await link(target, kept).catch(async () => {
    // The file system has no hard links.
    await copyFile(target, kept, constants.COPYFILE_EXCL);
  });
  // Only the log of an unreadable database still exists. The new database must not be opened with it.
  if (isUnreadable && existsSync(`${target}-wal`)) await rename(`${target}-wal`, `${kept}-wal`);
  await rm(`${target}-shm`, { force: true });
  await syncFolder(dirname(target));
}
