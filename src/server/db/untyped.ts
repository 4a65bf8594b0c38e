/** Access to tables whose names are only known at run time, such as the counter tables. */
import type { Kysely } from "kysely";
import type { Db } from "./schema.ts";

/** Tables of any name with columns of any name, each of type V. */
export type AnyTables<V> = Record<string, Record<string, V>>;

/** The database without the types of its tables. The caller ensures that the tables and columns it names exist. */
export function untyped<V = string | number>(db: Db): Kysely<AnyTables<V>> {
  return db as unknown as Kysely<AnyTables<V>>;
}
