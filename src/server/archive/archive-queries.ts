/** Reads whole tables in key order, and writes them back unchanged. */
import { sql } from "kysely";
import type { Db } from "../db/schema.ts";
import { getTable, listColumns, type TableName } from "../db/tables.ts";
import { untyped } from "../db/untyped.ts";
import { listOwners, type RowScope } from "./owner-queries.ts";

/** The value of one column. */
export type ArchiveValue = null | string | number | Uint8Array;

/** The values of a row, in the order of the requested columns. */
export type ArchiveRow = readonly ArchiveValue[];

/** Rows in the first page. The size of later pages depends on the size of the rows before. */
const FIRST_PAGE_ROWS = 8;
const MAX_PAGE_ROWS = 200;
/** Target size of a page, in characters of text and bytes of blobs. */
const PAGE_SIZE = 4 * 1024 * 1024;

/** The columns of a table, sorted by name, because each engine lists them in a different order. */
export async function readColumns(db: Db, table: TableName): Promise<string[]> {
  const joined = await sql<Record<string, null>>`
    select one_table.* from (select 1 as one) as one_row left join ${sql.table(table)} as one_table on 1 = 0
  `.execute(db);
  return Object.keys(joined.rows[0] ?? {}).sort();
}

/** Yields the rows of a table in pages, in key order. Ephemeral columns are null. */
export async function* readRows(
  db: Db,
  table: TableName,
  columns: readonly string[],
): AsyncGenerator<ArchiveRow[]> {
  const ephemeral = listColumns(table).flatMap(([name, { isEphemeral }]) => (isEphemeral ? [name] : []));
  const toArchiveRow = (row: NamedRow) =>
    columns.map((name) => (ephemeral.includes(name) ? null : (row[name] ?? null)));
  const owners = await listOwners(db, table);
  let limit = FIRST_PAGE_ROWS;
  let scope: Scope | undefined = owners ? owners.take(limit) : "all";
  while (scope) {
    let last: NamedRow | undefined;
    do {
      const page = await readPage(db, table, columns, { scope, last, limit });
      const rows = page.map(toArchiveRow);
      if (rows.length > 0) yield rows;
      last = page.length < limit ? undefined : page.at(-1);
      const targetRows = Math.floor((limit * PAGE_SIZE) / Math.max(1, measureSize(rows)));
      limit = Math.min(MAX_PAGE_ROWS, Math.max(1, targetRows));
    } while (last);
    scope = owners?.take(limit);
  }
}

type Scope = RowScope | "all";

type NamedRow = Readonly<Record<string, ArchiveValue>>;

function measureSize(rows: readonly ArchiveRow[]): number {
  const measureValue = (value: ArchiveValue) =>
    typeof value === "string" || value instanceof Uint8Array ? value.length : 0;
  return rows.flat().reduce((total: number, value) => total + measureValue(value), 0);
}

interface Page {
  readonly scope: Scope;
  /** The last row of the page before. */
  readonly last: NamedRow | undefined;
  readonly limit: number;
}

async function readPage(
  db: Db,
  table: TableName,
  columns: readonly string[],
  { scope, last, limit }: Page,
): Promise<NamedRow[]> {
  const { key } = getTable(table);
  let query = untyped<ArchiveValue>(db)
    .selectFrom(table)
    .select([...columns])
    .limit(limit);
  for (const name of key) query = query.orderBy(name);
  if (scope !== "all") query = query.where(scope.column, "in", [...scope.values]);
  if (!last) return await query.execute();
  const keyColumns = sql.join(key.map((name) => sql.ref(name)));
  const lastKey = sql.join(key.map((name) => last[name] ?? null));
  return await query.where(sql<boolean>`(${keyColumns}) > (${lastKey})`).execute();
}

/** Inserts rows unchanged. */
export async function insertRows(
  db: Db,
  table: TableName,
  columns: readonly string[],
  rows: readonly ArchiveRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await untyped<ArchiveValue>(db)
    .insertInto(table)
    .values(rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null]))))
    .execute();
}

/** The number of rows of a table. */
export async function countRows(db: Db, table: TableName): Promise<number> {
  const { count } = await untyped<ArchiveValue>(db)
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Whether a table has any rows. */
export async function hasRows(db: Db, table: TableName): Promise<boolean> {
  const rows = await untyped<ArchiveValue>(db)
    .selectFrom(table)
    .select(sql.lit(1).as("one"))
    .limit(1)
    .execute();
  return rows.length > 0;
}
