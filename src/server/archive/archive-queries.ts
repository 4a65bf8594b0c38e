/** Reads whole tables in key order, and writes them back unchanged. */
import { sql } from "kysely";
import { untyped } from "../db/rows.ts";
import type { Db } from "../db/schema.ts";
import { isSharded } from "../db/sharding.ts";
import { distributionColumns } from "../db/tables/define.ts";
import { getTable, listColumns, type TableName } from "../db/tables.ts";

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

export async function isFilled(db: Db, table: TableName): Promise<boolean> {
  const rows = await untyped<ArchiveValue>(db)
    .selectFrom(table)
    .select(sql.lit(1).as("one"))
    .limit(1)
    .execute();
  return rows.length > 0;
}

export async function emptyTable(db: Db, table: TableName): Promise<void> {
  await untyped(db).deleteFrom(table).execute();
}

/** A game or an account, whose rows of a table are all in one shard. */
interface Owner {
  readonly id: string;
  readonly rows: number;
}

/** Rows of a table: those whose column has one of some values. */
interface RowScope {
  readonly column: string;
  readonly values: readonly string[];
}

/**
 * The owners of the rows of a table, in key order. Null if the table is not sharded by the first column of its key: all of its
 * rows are then read in the order of the key. That order is not the order of the shards, so each of them would read a whole page,
 * most of which would be thrown away.
 */
export async function listOwners(db: Db, table: TableName): Promise<OwnerList | null> {
  const { place, key } = getTable(table);
  const column = place === "game" || place === "account" ? distributionColumns[place] : null;
  if (!isSharded(db) || column === null || key[0] !== column) return null;
  const rows = await untyped(db)
    .selectFrom(table)
    .select((eb) => [eb.ref(column).as("id"), eb.fn.countAll<number>().as("rows")])
    .groupBy(column)
    .orderBy(column)
    .execute();
  return new OwnerList(
    column,
    rows.map(({ id, rows }) => ({ id: String(id), rows: Number(rows) })),
  );
}

/** The owners whose rows are not read yet. */
export class OwnerList {
  readonly #column: string;
  readonly #owners: readonly Owner[];
  #next = 0;

  constructor(column: string, owners: readonly Owner[]) {
    this.#column = column;
    this.#owners = owners;
  }

  /** Takes the next owner, and those after it whose rows fit on the same page with fewer than `limit` rows. Undefined at the end. */
  take(limit: number): RowScope | undefined {
    const first = this.#next;
    let rows = 0;
    for (const owner of this.#owners.slice(first, first + limit)) {
      rows += owner.rows;
      if (this.#next > first && rows >= limit) break;
      this.#next += 1;
    }
    if (this.#next === first) return undefined;
    return { column: this.#column, values: this.#owners.slice(first, this.#next).map(({ id }) => id) };
  }
}
