/** Deletes the rows of a game. */
import type { Db } from "../db/schema.ts";
import { getTable, storedTables } from "../db/tables.ts";
import { untyped } from "../db/untyped.ts";
import { addCounts, type RowCounts } from "./row-queries.ts";

/** The ids of the sessions of a game. */
export async function findSessionIds(db: Db, gameId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("sessions")
    .select("id")
    .where("game_id", "=", gameId)
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes every row that names a game, and the game. Its arrivals are only counted, because their numbers continue. */
export async function deleteRowsOfGame(db: Db, gameId: string): Promise<RowCounts> {
  const counts: RowCounts[] = [];
  await db
    .updateTable("arrivals")
    .set({ game_id: null, session_id: null, seq: null, refusals: null })
    .where("game_id", "=", gameId)
    .execute();
  for (const table of storedTables) {
    const column = table === "games" ? "id" : "game_id" in getTable(table).columns ? "game_id" : null;
    if (column === null || table === "arrivals") continue;
    const { numDeletedRows } = await untyped(db)
      .deleteFrom(table)
      .where(column, "=", gameId)
      .executeTakeFirst();
    counts.push({ [table]: Number(numDeletedRows) });
  }
  return addCounts(...counts);
}
