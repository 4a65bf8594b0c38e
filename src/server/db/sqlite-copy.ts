/** Copies SQLite databases, also while a server writes to them, and checks each copy before it is used. */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { ServiceError } from "../core/errors.ts";
import { describeDatabaseError } from "./errors.ts";
import { loadDriver, type SqliteConnection } from "./sqlite.ts";

/** The number of rows of each table, by name. */
type RowCounts = Readonly<Record<string, number>>;

interface CopyOptions {
  readonly signal?: AbortSignal;
  /** Called repeatedly with the copied part, from 0 to 1. */
  readonly onProgress?: (part: number) => void;
}

/** Pages per step, 4 MiB. Between steps, the process handles signals. */
const PAGES_PER_STEP = 1024;

/**
 * Copies a database to a new file that only its owner can read, and checks the copy. It contains everything that was
 * committed before the copy began. Writers do not have to wait. Returns the row counts. Throws `unusable`, and
 * removes the copy, if the database cannot be read or the copy differs.
 */
export async function copySqlite(
  file: string,
  target: string,
  { signal, onProgress = () => {} }: CopyOptions = {},
): Promise<RowCounts> {
  try {
    const rows = await copyPages(file, target, onProgress, signal);
    signal?.throwIfAborted();
    await closeCopy(target);
    await checkSqlite(target, rows);
    return rows;
  } catch (cause) {
    await removeSqlite(target);
    if (cause instanceof ServiceError || signal?.aborted) throw cause;
    throw new ServiceError("unusable", {
      message: `Cannot copy the database ${file} to ${target}: ${describeDatabaseError(cause)}`,
      hint: "Check the free disk space and the permissions of the folder, then run the command again.",
      cause,
    });
  }
}

async function copyPages(
  file: string,
  target: string,
  onProgress: (part: number) => void,
  signal: AbortSignal | undefined,
): Promise<RowCounts> {
  const { DatabaseSync, backup } = (await loadDriver()).driver;
  closeSync(openSync(target, "wx", 0o600));
  const source = new DatabaseSync(file, { readOnly: true });
  try {
    source.exec("PRAGMA busy_timeout = 5000; BEGIN");
    // The first read fixes the snapshot of the transaction, so that writes do not restart the copy.
    const rows = countAllRows(source);
    await backup(source, target, {
      rate: PAGES_PER_STEP,
      progress({ totalPages, remainingPages }) {
        // An exception here ends the copy.
        signal?.throwIfAborted();
        onProgress(totalPages === 0 ? 1 : 1 - remainingPages / totalPages);
      },
    });
    source.exec("ROLLBACK");
    return rows;
  } finally {
    source.close();
  }
}

/** Makes the copy a single file without a write-ahead log, and flushes it to disk. */
async function closeCopy(target: string): Promise<void> {
  const { DatabaseSync } = (await loadDriver()).driver;
  const copy = new DatabaseSync(target);
  copy.exec("PRAGMA journal_mode = DELETE");
  copy.close();
  const handle = await open(target, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Reads a whole database file and checks its structure and, if given, its row counts. Changes nothing. Throws `unusable` if
 * it is damaged.
 */
async function checkSqlite(file: string, expected?: RowCounts): Promise<RowCounts> {
  const damaged = (reason: string, cause?: unknown) =>
    new ServiceError("unusable", {
      message: `The copy ${file} is damaged: ${reason}`,
      hint: "Check the disk, then run the command again.",
      cause,
    });
  const { DatabaseSync } = (await loadDriver()).driver;
  const connection = new DatabaseSync(file, { readOnly: true });
  try {
    const problems = connection.prepare("pragma integrity_check(1)").all() as { integrity_check: string }[];
    const [problem] = problems.map(({ integrity_check }) => integrity_check);
    if (problem !== "ok") throw damaged(String(problem));
    const rows = countAllRows(connection);
    for (const [table, count] of Object.entries(expected ?? {}))
      if (rows[table] !== count)
        throw damaged(`the table ${table} has ${rows[table] ?? 0} rows instead of ${count}`);
    return rows;
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : damaged(describeDatabaseError(cause), cause);
  } finally {
    connection.close();
  }
}

function countAllRows(connection: SqliteConnection): RowCounts {
  const tables = connection
    .prepare(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name",
    )
    .all() as { name: string }[];
  const count = (name: string) => {
    const quoted = `"${name.replaceAll('"', '""')}"`;
    const row = connection.prepare(`select count(*) as rows from ${quoted}`).get() as { rows: number };
    return row.rows;
  };
  return Object.fromEntries(tables.map(({ name }) => [name, count(name)]));
}

const MAGIC = "SQLite format 3\0";

/** Whether a file starts like a SQLite database. */
export function isSqliteFile(file: string): boolean {
  try {
    // Opening a named pipe waits for its writer.
    if (!statSync(file).isFile()) return false;
    const descriptor = openSync(file, "r");
    try {
      const start = Buffer.alloc(MAGIC.length);
      readSync(descriptor, start);
      return start.toString("latin1") === MAGIC;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return false;
  }
}

/** The suffixes of the files of a SQLite database: itself, its write-ahead log, the index of the log, its journal. */
export const SQLITE_SUFFIXES = ["", "-wal", "-shm", "-journal"] as const;

/** Removes a database file with its companions, if they exist. */
export async function removeSqlite(file: string): Promise<void> {
  for (const suffix of SQLITE_SUFFIXES) await rm(file + suffix, { force: true });
}
