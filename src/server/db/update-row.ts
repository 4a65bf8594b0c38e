/** Updates one row of a table that is keyed by game and id. */
import type { Db, Schema } from "./schema.ts";
import { untyped } from "./untyped.ts";

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
