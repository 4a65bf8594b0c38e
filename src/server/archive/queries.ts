/** Whole tables, read in the order of their keys and written as they were, whatever they hold. */
import { sql } from "kysely";
import type { Db } from "../db/schema.ts";
import { ephemeralColumns, type TableName, tables } from "../db/tables.ts";
import { untyped } from "../db/untyped.ts";

/** What a column may hold. */
export type ArchiveValue = null | string | number | Uint8Array;

/** The values of a row, in the order of the columns asked for. */
export type ArchiveRow = readonly ArchiveValue[];

/** What is read at once: rows by number, and by what the ones before them amounted to, in characters and bytes. */
const FIRST_ROWS = 8;
const MAX_ROWS = 200;
const PAGE_SIZE = 4 * 1024 * 1024;

/** A table's columns, by name in the order of their bytes: the engines list them as they like. */
export async function readColumns(db: Db, table: TableName): Promise<string[]> {
  const joined = await sql<Record<string, null>>`
    select one_table.* from (select 1 as one) as one_row left join ${sql.table(table)} as one_table on 1 = 0
  `.execute(db);
  return Object.keys(joined.rows[0] ?? {}).sort();
}

/** Yields a table's rows in the order of its key, some at a time; columns that are a process's own as null. */
export async function* readRows(
  db: Db,
  table: TableName,
  columns: readonly string[],
): AsyncGenerator<ArchiveRow[]> {
  const passing: readonly string[] = ephemeralColumns[table] ?? [];
  const held = (row: NamedRow) =>
    columns.map((name) => (passing.includes(name) ? null : (row[name] ?? null)));
  let limit = FIRST_ROWS;
  let last: NamedRow | undefined;
  do {
    const page = await readPageAfter(db, table, columns, last, limit);
    const rows = page.map(held);
    if (rows.length > 0) yield rows;
    last = page.length < limit ? undefined : page.at(-1);
    const fitting = Math.floor((limit * PAGE_SIZE) / Math.max(1, measureSize(rows)));
    limit = Math.min(MAX_ROWS, Math.max(1, fitting));
  } while (last);
}

type NamedRow = Readonly<Record<string, ArchiveValue>>;

function measureSize(rows: readonly ArchiveRow[]): number {
  const sizeOne = (value: ArchiveValue) =>
    typeof value === "string" || value instanceof Uint8Array ? value.length : 0;
  return rows.flat().reduce((total: number, value) => total + sizeOne(value), 0);
}

async function readPageAfter(
  db: Db,
  table: TableName,
  columns: readonly string[],
  last: NamedRow | undefined,
  limit: number,
): Promise<NamedRow[]> {
  const key: readonly string[] = tables[table];
  let query = untyped<ArchiveValue>(db)
    .selectFrom(table)
    .select([...columns])
    .limit(limit);
  for (const name of key) query = query.orderBy(name);
  if (!last) return await query.execute();
  const place = sql.join(key.map((name) => sql.ref(name)));
  const reached = sql.join(key.map((name) => last[name] ?? null));
  return await query.where(sql<boolean>`(${place}) > (${reached})`).execute();
}

/** Adds rows as they are. */
export async function insertRows(
  db: Db,
  table: TableName,
  columns: readonly string[],
  rows: readonly ArchiveRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await untyped<ArchiveValue>(db)
    .insertInto(table)
    .values(rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null]))))
    .execute();
}

/** Whether a table has any row. */
export async function hasRows(db: Db, table: TableName): Promise<boolean> {
  const found = await untyped<ArchiveValue>(db)
    .selectFrom(table)
    .select(sql.lit(1).as("one"))
    .limit(1)
    .execute();
  return found.length > 0;
}
