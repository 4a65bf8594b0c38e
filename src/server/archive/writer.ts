/** Writes a database as an archive: one state of it, a few rows held at a time. */
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { ServiceError } from "../core/errors.ts";
import { migrations } from "../db/migrations/index.ts";
import { describeDatabaseError, type Store } from "../db/open.ts";
import type { Db } from "../db/schema.ts";
import { type TableName, tableNames, tables } from "../db/tables.ts";
import {
  type ArchiveChecksum,
  FORMAT_VERSION,
  formatHeader,
  formatRow,
  LineHasher,
  type TableChecksum,
} from "./format.ts";
import { hasRows, readColumns, readRows } from "./queries.ts";

export interface WriteArchiveOptions {
  /** Unix ms. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** Told of every table that is begun. */
  onTable(table: string): Promise<void>;
}

/**
 * Hands the archive to `sink` as gzip, a piece at a time. Throws `unusable` where the database holds no account, or
 * cannot be read; errors of the sink as they are.
 */
export async function writeArchive(
  store: Store,
  sink: (bytes: Uint8Array) => Promise<void>,
  options: WriteArchiveOptions,
): Promise<ArchiveChecksum> {
  // What was handed on cannot be taken back: where the view is begun anew, what became of the first stands.
  let begun: Promise<ArchiveChecksum> | undefined;
  return await store.read((db) => {
    begun ??= writeFrom(db, store, sink, options);
    return begun;
  });
}

async function writeFrom(
  db: Db,
  store: Store,
  sink: (bytes: Uint8Array) => Promise<void>,
  options: WriteArchiveOptions,
): Promise<ArchiveChecksum> {
  if (!(await hasRows(db, "accounts"))) {
    throw new ServiceError("unusable", {
      message: `There is nothing to export: the database ${store.location} holds no account`,
      hint: "Name the one that is meant with --database.",
    });
  }
  const sums: ArchiveChecksum[] = [];
  const lines = async function* () {
    sums.push(yield* withReadErrors(store, archiveLines(db, options)));
  };
  const drain = async (pieces: AsyncIterable<Uint8Array>) => {
    for await (const piece of pieces) await sink(piece);
  };
  await pipeline(lines, createGzip(), drain, { signal: options.signal });
  const [sum] = sums;
  if (!sum) throw new RangeError("The archive ended before its sum");
  return sum;
}

/** What reading the database fails with, as an error that names it. */
async function* withReadErrors<T, R>(store: Store, lines: AsyncGenerator<T, R>): AsyncGenerator<T, R> {
  try {
    return yield* lines;
  } catch (cause) {
    throw new ServiceError("unusable", {
      message: `The database ${store.location} cannot be read: ${describeDatabaseError(cause)}`,
      hint: "No archive was written. Remove the cause and run the command again.",
      cause,
    });
  }
}

/** Yields the archive's text, whole lines at a time. */
async function* archiveLines(
  db: Db,
  { now, onTable }: WriteArchiveOptions,
): AsyncGenerator<string, ArchiveChecksum> {
  const all = new LineHasher();
  const sums: TableChecksum[] = [];
  const told = (line: string) => {
    all.add(line);
    return `${line}\n`;
  };
  const createdAt = new Date(now).toISOString();
  yield told(formatHeader({ format: FORMAT_VERSION, migrations: Object.keys(migrations), createdAt }));
  for (const table of tableNames) {
    await onTable(table);
    const columns = await readColumns(db, table);
    yield told(JSON.stringify({ table, columns, key: tables[table] }));
    const own = new LineHasher();
    for await (const lines of rowLines(db, table, columns)) {
      for (const line of lines) own.add(line);
      yield lines.map(told).join("");
    }
    const sum = { table, rows: own.lines, sha256: own.hex() };
    yield told(JSON.stringify({ end: table, rows: sum.rows, sha256: sum.sha256 }));
    sums.push(sum);
  }
  const rows = sums.reduce((total, sum) => total + sum.rows, 0);
  const sum = { createdAt, tables: sums, rows, sha256: all.hex() };
  yield `${JSON.stringify({ tables: sums.length, rows, sha256: sum.sha256 })}\n`;
  return sum;
}

async function* rowLines(db: Db, table: TableName, columns: readonly string[]): AsyncGenerator<string[]> {
  for await (const rows of readRows(db, table, columns)) yield rows.map(formatRow);
}

/** What a table of a database amounts to, as an archive would tell it. */
export async function checksumTable(db: Db, table: TableName): Promise<TableChecksum> {
  const own = new LineHasher();
  for await (const lines of rowLines(db, table, await readColumns(db, table)))
    for (const line of lines) own.add(line);
  return { table, rows: own.lines, sha256: own.hex() };
}
