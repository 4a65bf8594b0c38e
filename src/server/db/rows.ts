/** Reads and updates rows: in parts, of tables whose names are only known at run time, and as far as they changed. */
import type { Expression, ExpressionBuilder, Kysely, SelectQueryBuilder } from "kysely";
import type { Db, Schema } from "./schema.ts";
import { listColumns, tables } from "./tables.ts";

/** Tables of any name with columns of any name, each of type V. */
type AnyTables<V> = Record<string, Record<string, V>>;

/** The database without the types of its tables. The caller ensures that the tables and columns it names exist. */
export function untyped<V = string | number>(db: Db): Kysely<AnyTables<V>> {
  return db as unknown as Kysely<AnyTables<V>>;
}

type AnyTable = keyof Schema;

/** The columns of the primary key of a table. */
type KeyOf<T extends AnyTable> = Pick<Schema[T], (typeof tables)[T]["key"][number] & keyof Schema[T]>;

/** New values of columns, which the database may compute. */
type Changes<T extends AnyTable> = {
  readonly [Name in keyof Schema[T]]?: Schema[T][Name] | Expression<Schema[T][Name]>;
};

/** Whether columns have these values. Throws without any column, because all rows would match. */
const hasValues = (where: object) => (eb: ExpressionBuilder<AnyTables<unknown>, string>) => {
  const values = Object.entries(where);
  if (values.length === 0) throw new RangeError("A condition without columns would match all rows");
  return eb.and(values.map(([column, value]) => eb(column, value === null ? "is" : "=", value)));
};

/** The columns of a table that may be empty. */
type EmptyColumns<T extends AnyTable> = {
  [Name in keyof Schema[T] as null extends Schema[T][Name] ? Name : never]: null;
};

/** Null for each column that may be empty: the start of a new row. */
export function emptyColumns<T extends AnyTable>(table: T): EmptyColumns<T> {
  const nullable = listColumns(table).filter(([, { isNullable }]) => isNullable);
  return Object.fromEntries(nullable.map(([name]) => [name, null])) as EmptyColumns<T>;
}

/** A row whose columns have these values. */
export async function findRow<T extends AnyTable>(
  db: Db,
  table: T,
  where: Partial<Schema[T]>,
): Promise<Schema[T] | undefined> {
  const query = untyped<unknown>(db)
    .selectFrom(table as string)
    .selectAll()
    .where(hasValues(where));
  return (await query.executeTakeFirst()) as Schema[T] | undefined;
}

/** The number of rows that a query matches. */
export async function countRows<DB, T extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, T, Row>,
): Promise<number> {
  const matching = query as unknown as SelectQueryBuilder<AnyTables<unknown>, string, Record<never, never>>;
  const { count } = await matching
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The number of rows that a query matches, up to its limit. */
export const countUpToLimit = <T extends AnyTable, Row>(
  db: Db,
  query: SelectQueryBuilder<Schema, T, Row>,
): Promise<number> => countRows(db.selectFrom(query.as("counted")));

/** Whether a query matches any row. */
export async function hasRows<DB, T extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, T, Row>,
): Promise<boolean> {
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** Inserts a row. Throws if one with its key exists. */
export async function insertRow<T extends AnyTable>(db: Db, table: T, row: Schema[T]): Promise<void> {
  await untyped<unknown>(db)
    .insertInto(table as string)
    .values({ ...row })
    .execute();
}

/** Inserts a row, or replaces the one with its primary key. */
export async function putRow<T extends AnyTable>(db: Db, table: T, row: Schema[T]): Promise<void> {
  const { key } = tables[table];
  const values = Object.fromEntries(Object.entries(row).filter(([name]) => !key.some((of) => of === name)));
  await untyped<unknown>(db)
    .insertInto(table as string)
    .values({ ...row })
    .onConflict((conflict) => conflict.columns([...key]).doUpdateSet(values))
    .execute();
}

/** Inserts a row, and returns true. Returns false if one exists with the same values in columns that are unique (default: any). */
export async function insertNew<T extends AnyTable>(
  db: Db,
  table: T,
  row: Schema[T],
  unique?: readonly (keyof Schema[T] & string)[],
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await untyped<unknown>(db)
    .insertInto(table as string)
    .values({ ...row })
    .onConflict((conflict) => (unique ? conflict.columns(unique) : conflict).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Updates columns of the row with a primary key. The other columns of `row` do not matter. */
export async function updateRow<T extends AnyTable>(
  db: Db,
  table: T,
  row: KeyOf<T>,
  changes: Changes<T>,
): Promise<void> {
  const values: Record<string, unknown> = { ...row };
  const key = Object.fromEntries(tables[table].key.map((name) => [name, values[name]]));
  await updateRows(db, table, key as Partial<Schema[T]>, changes);
}

/** Updates columns of all rows whose columns have these values. */
export async function updateRows<T extends AnyTable>(
  db: Db,
  table: T,
  where: Partial<Schema[T]>,
  changes: Changes<T>,
): Promise<void> {
  await untyped<unknown>(db)
    .updateTable(table as string)
    .set({ ...changes })
    .where(hasValues(where))
    .execute();
}

/** Deletes all rows whose columns have these values. */
export async function deleteRows<T extends AnyTable>(
  db: Db,
  table: T,
  where: Partial<Schema[T]>,
): Promise<void> {
  await untyped<unknown>(db)
    .deleteFrom(table as string)
    .where(hasValues(where))
    .execute();
}

/** Maximum number of values in one `in` clause. */
export const MAX_IN_VALUES = 500;

/** Reads the rows of any number of values, of which each statement gets a part. They are in the order of the values. */
export async function readInParts<V, Row>(
  values: readonly V[],
  read: (part: readonly V[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  for (let start = 0; start < values.length; start += MAX_IN_VALUES)
    for (const row of await read(values.slice(start, start + MAX_IN_VALUES))) found.push(row);
  return found;
}

/** The rows that only one of the lists contains: those that were removed, then those that were added. */
export function findChangedRows<Row extends object>(previous: readonly Row[], next: readonly Row[]): Row[] {
  const [before, after] = [new Set(previous.map(serialize)), new Set(next.map(serialize))];
  return [
    ...previous.filter((row) => !after.has(serialize(row))),
    ...next.filter((row) => !before.has(serialize(row))),
  ];
}

/** The columns in a fixed order, because engines return them in different ones. */
function serialize(row: object): string {
  return JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
}
