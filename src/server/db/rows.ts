/** Reads and updates rows: in parts, of tables whose names are only known at run time, and as far as they changed. */
import type { Kysely } from "kysely";
import type { Db, Schema } from "./schema.ts";

/** Tables of any name with columns of any name, each of type V. */
type AnyTables<V> = Record<string, Record<string, V>>;

/** The database without the types of its tables. The caller ensures that the tables and columns it names exist. */
export function untyped<V = string | number>(db: Db): Kysely<AnyTables<V>> {
  return db as unknown as Kysely<AnyTables<V>>;
}

type KeyedTable = {
  [T in keyof Schema]: Schema[T] extends { game_id: string; id: string } ? T : never;
}[keyof Schema];

/** Inserts a row. Throws if one with its key exists. */
export async function insertRow<T extends keyof Schema>(db: Db, table: T, row: Schema[T]): Promise<void> {
  await untyped<unknown>(db)
    .insertInto(table as string)
    .values({ ...row })
    .execute();
}

/** Updates columns of the row with the id. */
export async function updateRow<T extends KeyedTable>(
  db: Db,
  table: T,
  { game_id, id }: Pick<Schema[T], "game_id" | "id">,
  changed: Partial<Schema[T]>,
): Promise<void> {
  await untyped<unknown>(db)
    .updateTable(table as string)
    .set({ ...changed })
    .where("game_id", "=", game_id)
    .where("id", "=", id)
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
