/** Access to tables whose names are only known at run time, such as the counter tables. */
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
