/** Brings an archive into an empty database, all of it or nothing, and reads back what it wrote. */
import { ServiceError } from "../core/errors.ts";
import { migrations } from "../db/migrations/index.ts";
import { describeDatabaseError, type Store } from "../db/open.ts";
import type { Db } from "../db/schema.ts";
import { type TableName, tableNames } from "../db/tables.ts";
import { type ArchiveChecksum, type ArchiveHeader, damagedError } from "./format.ts";
import { hasRows, insertRows, readColumns } from "./queries.ts";
import { type ArchiveLine, readArchive, type TablePart } from "./reader.ts";
import { checksumTable } from "./writer.ts";

export interface Archive {
  /** What it is called in errors. */
  readonly source: string;
  /** From its first line, the header. */
  readonly lines: AsyncIterable<ArchiveLine>;
}

export interface RestoreOptions {
  readonly signal: AbortSignal;
  /** Told of what is done next. */
  onStep(step: string): Promise<void>;
}

/** Throws `unusable` where an archive is of another version than this program's, saying which has more. */
export function requireSameVersion({ migrations: theirs }: ArchiveHeader, source: string): void {
  const ours = Object.keys(migrations);
  const unknown = theirs.filter((name) => !ours.includes(name));
  const missing = ours.filter((name) => !theirs.includes(name));
  if (unknown.length > 0) {
    throw new ServiceError("unusable", {
      message: `${source} was exported by a newer version of playtest (it has ${unknown.join(", ")})`,
      hint: "Update playtest here, then import it again.",
    });
  }
  if (missing.length > 0) {
    throw new ServiceError("unusable", {
      message: `${source} was exported by an older version of playtest (it lacks ${missing.join(", ")})`,
      hint: "Export the database again with this version, which brings it up to date.",
    });
  }
}

/**
 * Imports an archive in one transaction. Every table is read back and must have the archive's count and hash before it
 * is committed. Throws `unusable` where the database is not empty, where the archive is damaged, and where the database
 * cannot be written; nothing is imported then.
 */
export async function restoreArchive(
  store: Store,
  { source, lines }: Archive,
  options: RestoreOptions,
): Promise<ArchiveChecksum> {
  const refuse = (cause: unknown) => {
    if (cause instanceof ServiceError || options.signal.aborted) return cause;
    return new ServiceError("unusable", {
      message: `The database ${store.location} cannot be written: ${describeDatabaseError(cause)}`,
      hint: "Nothing was imported. Remove the cause and run the command again.",
      cause,
    });
  };
  let begun = false;
  const work = async (db: Db) => {
    // The lines are gone: a commit that met another's is not tried anew.
    if (begun) throw new Error("another process wrote to it at the same time");
    begun = true;
    await requireEmpty(db, store);
    const sum = await importRows(db, source, readArchive(lines, source), options);
    await verifyImport(db, store, sum, options);
    return sum;
  };
  try {
    return await store.serializable((db) => work(db).catch((cause) => Promise.reject(refuse(cause))));
  } catch (cause) {
    throw refuse(cause);
  }
}

async function requireEmpty(db: Db, store: Store): Promise<void> {
  for (const table of tableNames) {
    if (!(await hasRows(db, table))) continue;
    throw new ServiceError("unusable", {
      message: `The database ${store.location} is not empty: it has ${table}`,
      hint: "An archive is imported into an empty database: name a new one with --database.",
    });
  }
}

async function importRows(
  db: Db,
  source: string,
  parts: AsyncGenerator<TablePart, ArchiveChecksum>,
  { signal, onStep }: RestoreOptions,
): Promise<ArchiveChecksum> {
  const begun = new Set<TableName>();
  for (;;) {
    signal.throwIfAborted();
    const { done, value } = await parts.next();
    if (done) return value;
    const { table, columns, rows } = value;
    if (!begun.has(table)) {
      begun.add(table);
      await onStep(`Importing ${table}`);
      if (String(columns) !== String(await readColumns(db, table)))
        throw damagedError(source, `the table ${table}: its columns are not those of the database`);
    }
    try {
      await insertRows(db, table, columns, rows);
    } catch (cause) {
      await verifyRestOfTable(parts, table);
      throw cause;
    }
  }
}

/** Reads a table to its end: where the archive is damaged, that is why its rows cannot be stored, and that is thrown. */
async function verifyRestOfTable(
  parts: AsyncGenerator<TablePart, ArchiveChecksum>,
  table: TableName,
): Promise<void> {
  for (;;) {
    const { done, value } = await parts.next();
    if (done || value.table !== table) return;
  }
}

/** Throws where the database gives back anything else than the archive held. */
async function verifyImport(
  db: Db,
  store: Store,
  sum: ArchiveChecksum,
  { signal, onStep }: RestoreOptions,
): Promise<void> {
  for (const [at, table] of tableNames.entries()) {
    signal.throwIfAborted();
    await onStep(`Checking ${table}`);
    const [wanted, found] = [sum.tables[at], await checksumTable(db, table)];
    if (wanted?.rows === found.rows && wanted.sha256 === found.sha256) continue;
    const kind = wanted?.rows === found.rows ? "other values" : `${found.rows} rows of ${wanted?.rows}`;
    throw new ServiceError("unusable", {
      message: `The database ${store.location} does not hold what was imported: it gives back ${kind} of ${table}`,
      hint: "Nothing was imported. Import it into a database on another engine or disk.",
    });
  }
}
