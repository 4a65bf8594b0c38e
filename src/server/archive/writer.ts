/** Writes a consistent snapshot of a database as an archive, with only a few rows in memory at any time. */
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { version } from "../../shared/version.prepared.ts";
import { ServiceError } from "../core/errors.ts";
import { readMigrations } from "../db/migrate.ts";
import { describeDatabaseError, type Store } from "../db/open.ts";
import type { Db } from "../db/schema.ts";
import { getTable, type TableName, tableNames } from "../db/tables.ts";
import { isFilled, readColumns, readRows } from "./archive-queries.ts";
import {
  type ArchiveChecksum,
  FORMAT_VERSION,
  formatHeader,
  formatRow,
  LineHasher,
  type TableChecksum,
} from "./format.ts";

interface WriteArchiveOptions {
  /** Unix ms. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** Called before each table. */
  onTable(table: string): Promise<void>;
}

/**
 * Passes the archive to `sink` in gzip chunks. Throws `unusable` if the database has no accounts or cannot be read.
 * Errors of the sink are thrown unchanged.
 */
export async function writeArchive(
  store: Store,
  sink: (bytes: Uint8Array) => Promise<void>,
  options: WriteArchiveOptions,
): Promise<ArchiveChecksum> {
  // Chunks that were passed to the sink cannot be withdrawn. If the store retries, return the result of the first attempt.
  let firstAttempt: Promise<ArchiveChecksum> | undefined;
  return await store.read((db) => {
    firstAttempt ??= writeFrom(db, store, sink, options);
    return firstAttempt;
  });
}

async function writeFrom(
  db: Db,
  store: Store,
  sink: (bytes: Uint8Array) => Promise<void>,
  options: WriteArchiveOptions,
): Promise<ArchiveChecksum> {
  if (!(await isFilled(db, "accounts"))) {
    throw new ServiceError("unusable", {
      message: `Nothing to export: the database ${store.location} has no accounts`,
      hint: "Specify another database with --database.",
    });
  }
  const { applied } = await readMigrations(db, store.location);
  const checksums: ArchiveChecksum[] = [];
  const lines = async function* () {
    checksums.push(yield* withReadErrors(store, archiveLines(db, applied, options)));
  };
  const drain = async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) await sink(chunk);
  };
  await pipeline(lines, createGzip(), drain, { signal: options.signal });
  const [checksum] = checksums;
  if (!checksum) throw new RangeError("The archive ended before its checksum");
  return checksum;
}

/** Turns errors of reading the database into errors that name the database. */
async function* withReadErrors<T, R>(store: Store, lines: AsyncGenerator<T, R>): AsyncGenerator<T, R> {
  try {
    return yield* lines;
  } catch (cause) {
    throw new ServiceError("unusable", {
      message: `Cannot read the database ${store.location}: ${describeDatabaseError(cause)}`,
      hint: "No archive was written. Fix the problem and run the command again.",
      cause,
    });
  }
}

/** Yields the text of the archive in whole lines. `migrations`: those of the database. */
export async function* archiveLines(
  db: Db,
  migrations: readonly string[],
  { now, onTable }: WriteArchiveOptions,
): AsyncGenerator<string, ArchiveChecksum> {
  const hasher = new LineHasher();
  const checksums: TableChecksum[] = [];
  const hashLine = (line: string) => {
    hasher.add(line);
    return `${line}\n`;
  };
  const createdAt = new Date(now).toISOString();
  const header = { format: FORMAT_VERSION, migrations, createdAt, version };
  yield hashLine(formatHeader(header));
  for (const table of tableNames) {
    await onTable(table);
    const columns = await readColumns(db, table);
    yield hashLine(JSON.stringify({ table, columns, key: getTable(table).key }));
    const tableHasher = new LineHasher();
    for await (const lines of rowLines(db, table, columns)) {
      for (const line of lines) tableHasher.add(line);
      yield lines.map(hashLine).join("");
    }
    const checksum = { table, rows: tableHasher.lines, sha256: tableHasher.hex() };
    yield hashLine(JSON.stringify({ end: table, rows: checksum.rows, sha256: checksum.sha256 }));
    checksums.push(checksum);
  }
  const rows = checksums.reduce((total, checksum) => total + checksum.rows, 0);
  const sha256 = hasher.hex();
  yield `${JSON.stringify({ tables: checksums.length, rows, sha256 })}\n`;
  return { createdAt, tables: checksums, rows, sha256 };
}

async function* rowLines(db: Db, table: TableName, columns: readonly string[]): AsyncGenerator<string[]> {
  for await (const rows of readRows(db, table, columns)) yield rows.map(formatRow);
}

/** Computes the row count and checksum of a table as an archive would contain them. */
export async function checksumTable(db: Db, table: TableName): Promise<TableChecksum> {
  const hasher = new LineHasher();
  for await (const lines of rowLines(db, table, await readColumns(db, table)))
    for (const line of lines) hasher.add(line);
  return { table, rows: hasher.lines, sha256: hasher.hex() };
}
