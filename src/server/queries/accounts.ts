/** Reads and writes accounts. */
import type { AccountRow, Db } from "../db/schema.ts";

/** The first account of a database, or undefined in a new one. */
export async function firstAccount(db: Db): Promise<AccountRow | undefined> {
  return await db
    .selectFrom("accounts")
    .selectAll()
    .orderBy("created_at")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
}

export async function insertAccount(db: Db, row: AccountRow): Promise<void> {
  await db.insertInto("accounts").values(row).execute();
}
