/** Imports an archive into an empty database, and verifies the result by reading it back. */
import { ServiceError } from "../core/errors.ts";
import { describeDatabaseError, type Store } from "../db/open.ts";
import type { Db } from "../db/schema.ts";
import { type TableName, tableNames } from "../db/tables.ts";
import {
  advanceImport,
  beginImport,
  endImport,
  findUnfinishedImport,
  type UnfinishedImport,
  unfinishedImportError,
} from "../db/unfinished-import.ts";
import { eraseAgain } from "../erasure/erase-again.ts";
import { type Erasures, mergeErasures } from "../erasure/erase-again-queries.ts";
import type { RowCounts } from "../erasure/row-queries.ts";
import { loseOutbox } from "../notifications/delivery-queries.ts";
import { emptyTable, insertRows, isFilled, readColumns } from "./archive-queries.ts";
import { checkEvents, findRowFault } from "./check-rows.ts";
import { type ArchiveChecksum, damagedError } from "./format.ts";
import { type ArchiveLine, readArchive, type TablePart } from "./reader.ts";
import { checksumTable } from "./writer.ts";

export interface Archive {
  /** The name of the archive in errors. */
  readonly source: string;
  /** The name with which an interrupted import can be continued from any folder. */
  readonly path: string;
  /** The first line of the exported archive. */
  readonly header: string;
  /** All lines, including the header. */
  readonly lines: AsyncIterable<ArchiveLine>;
}

/** The totals of an imported archive, and the rows that were erased again after the import, by table. */
export interface RestoredArchive extends ArchiveChecksum {
  readonly erased: RowCounts;
}

export interface RestoreOptions {
  readonly signal: AbortSignal;
  /** The current time, unix ms. */
  readonly now: number;
  /** What a newer archive of the same database says was erased since. */
  readonly erasures?: Erasures | null;
  /** What was erased from the database that the restored one will replace, which may be another database. */
  readonly previous?: Erasures | null;
  /** Called if an interrupted import continues after a line of the archive. */
  onContinue?(line: number): Promise<void>;
  /** Called before each step with a description such as "Importing games". */
  onStep(step: string): Promise<void>;
}

/**
 * Imports an archive. Before it is complete, every table is read back and must have the row count and checksum of the archive.
 * What was erased before stays erased. Throws `unusable`, and leaves an empty database, if the archive is damaged or cannot be
 * stored unchanged. A SQLite file whose import was interrupted keeps its rows, and the import of the same archive continues.
 */
export async function restoreArchive(
  store: Store,
  archive: Archive,
  options: RestoreOptions,
): Promise<RestoredArchive> {
  try {
    const importIt = store.engine === "sqlite" ? importInParts : importAtOnce;
    const restored = await importIt(store, archive, options);
    if (Object.keys(restored.erased).length > 0) await store.purgeDeleted();
    return restored;
  } catch (cause) {
    throw toImportError(store, options, cause);
  }
}

function toImportError(store: Store, { signal }: RestoreOptions, cause: unknown): unknown {
  if (cause instanceof ServiceError || signal.aborted) return cause;
  const again = "Fix the problem and run the command again";
  return new ServiceError("unusable", {
    message: `Cannot write to the database ${store.location}: ${describeDatabaseError(cause)}`,
    hint: store.engine === "sqlite" ? `${again}.` : `Nothing was imported. ${again}.`,
    cause,
  });
}

/** Imports an archive in one transaction, so that servers on the same Postgres database never see a part of it. */
async function importAtOnce(
  store: Store,
  { source, lines }: Archive,
  options: RestoreOptions,
): Promise<RestoredArchive> {
  let hasStarted = false;
  const work = async (db: Db) => {
    // The lines can only be read once, so the transaction cannot be retried after a conflict.
    if (hasStarted) throw new Error("another process wrote to it at the same time");
    hasStarted = true;
    await requireEmpty(db, store);
    const checksum = await importRows(db, readArchive(lines, source), source, options);
    return await completeImport(db, store, source, checksum, options);
  };
  return await store.serializable((db) =>
    work(db).catch((cause) => Promise.reject(toImportError(store, options, cause))),
  );
}

/** Imports an archive in many transactions, and continues after those of an earlier run. */
async function importInParts(
  store: Store,
  { source, path, header, lines }: Archive,
  options: RestoreOptions,
): Promise<RestoredArchive> {
  const erases = options.erasures ? 1 : 0;
  let line = await store.write((db) => openImport(db, store, { path, header, erases }));
  if (line > 0) await options.onContinue?.(line);
  const insertPart: InsertPart = async ({ table, columns, rows, firstLine }) => {
    const lastLine = firstLine + rows.length - 1;
    if (rows.length === 0 || lastLine <= line) return;
    await store.write(async (db) => {
      await advanceImport(db, line, lastLine);
      await insertRows(db, table, columns, rows.slice(Math.max(0, line + 1 - firstLine)));
    });
    line = lastLine;
  };
  try {
    const checksum = await store.syncLater(() =>
      importRows(store.readDb, readArchive(lines, source), source, options, insertPart),
    );
    return await store.write(async (db) => {
      const restored = await completeImport(db, store, source, checksum, options);
      await endImport(db);
      return restored;
    });
  } catch (cause) {
    const isDamaged = cause instanceof ServiceError && cause.code === "unusable" && !options.signal.aborted;
    if (isDamaged && (await store.write((db) => discardImport(db, header)))) await store.purgeDeleted();
    throw cause;
  }
}

/** Begins the import, or finds the line after which it continues. Throws `unusable` if the database has anything else. */
async function openImport(db: Db, store: Store, begun: Omit<UnfinishedImport, "line">): Promise<number> {
  const unfinished = await findUnfinishedImport(db);
  // Who was erased must not come back because the option was forgotten.
  if (unfinished?.header === begun.header && unfinished.erases <= begun.erases) return unfinished.line;
  if (unfinished) throw unfinishedImportError(store.location, unfinished);
  await requireEmpty(db, store);
  await beginImport(db, begun);
  return 0;
}

/** Removes what was imported. Returns false if another process has finished or discarded the import. */
async function discardImport(db: Db, header: string): Promise<boolean> {
  if ((await findUnfinishedImport(db))?.header !== header) return false;
  for (const table of tableNames) await emptyTable(db, table);
  await endImport(db);
  return true;
}

/** Checks all stored rows, and then records what was not in the archive, and erases again what was erased since. */
async function completeImport(
  db: Db,
  store: Store,
  source: string,
  checksum: ArchiveChecksum,
  options: RestoreOptions,
): Promise<RestoredArchive> {
  await verifyImport(db, store, checksum, options);
  await options.onStep("Checking events");
  await checkEvents(db, source, options.signal);
  await loseOutbox(db, options.now);
  if (options.previous) await mergeErasures(db, options.previous);
  const erased = await eraseAgain(db, store.engine, options.now, options.erasures);
  return { ...checksum, erased };
}

async function requireEmpty(db: Db, store: Store): Promise<void> {
  for (const table of tableNames) {
    if (!(await isFilled(db, table))) continue;
    throw new ServiceError("unusable", {
      message: `The database ${store.location} is not empty: the table ${table} has rows`,
      hint: "Archives can only be imported into an empty database. Specify a new one with --database.",
    });
  }
}

type InsertPart = (part: TablePart) => Promise<void>;

/** Stores all rows. Throws `unusable` if they do not fit the tables of the database, or if the archive is damaged. */
export async function importRows(
  db: Db,
  parts: AsyncGenerator<TablePart, ArchiveChecksum>,
  source: string,
  { signal, onStep }: RestoreOptions,
  insertPart: InsertPart = ({ table, columns, rows }) => insertRows(db, table, columns, rows),
): Promise<ArchiveChecksum> {
  const startedTables = new Set<TableName>();
  for (;;) {
    signal.throwIfAborted();
    const { done, value } = await parts.next();
    if (done) return value;
    const { table, columns, rows, firstLine } = value;
    if (!startedTables.has(table)) {
      startedTables.add(table);
      await onStep(`Importing ${table}`);
      if (String(columns) !== String(await readColumns(db, table)))
        throw damagedError(source, `table ${table}: its columns differ from the columns in the database`);
    }
    for (const [index, row] of rows.entries()) {
      const fault = findRowFault(table, columns, row);
      if (fault) throw damagedError(source, `line ${firstLine + index}: table ${table}: ${fault}`);
    }
    try {
      await insertPart(value);
    } catch (cause) {
      await verifyRestOfTable(parts, table);
      throw cause;
    }
  }
}

/** Reads the rest of a table whose rows cannot be stored. Throws if the archive is damaged there, which is then the cause. */
async function verifyRestOfTable(
  parts: AsyncGenerator<TablePart, ArchiveChecksum>,
  table: TableName,
): Promise<void> {
  for (;;) {
    const { done, value } = await parts.next();
    if (done || value.table !== table) return;
  }
}

/** Throws if the tables read back from the database differ from the archive. */
async function verifyImport(
  db: Db,
  store: Store,
  checksum: ArchiveChecksum,
  { signal, onStep }: RestoreOptions,
): Promise<void> {
  for (const [index, table] of tableNames.entries()) {
    signal.throwIfAborted();
    await onStep(`Checking ${table}`);
    const [expected, actual] = [checksum.tables[index], await checksumTable(db, table)];
    if (expected?.rows === actual.rows && expected.sha256 === actual.sha256) continue;
    const difference =
      expected?.rows === actual.rows
        ? "different values"
        : `${actual.rows} rows instead of ${expected?.rows}`;
    throw new ServiceError("unusable", {
      message: `The data read back from the database ${store.location} differs from the archive: the table ${table} has ${difference}`,
      hint: "Nothing was imported. Use a database on another disk, or another engine (SQLite or Postgres).",
    });
  }
}
