/** Checks whether the names that insights are filtered by exist in games. */
import type { Db } from "../db/schema.ts";

/** The maximum number of tags to suggest from. */
const MAX_TAGS = 2000;

/** Whether any session has the device. */
export async function deviceExists(db: Db, gameIds: readonly string[], device: string): Promise<boolean> {
  const row = await db
    .selectFrom("sessions")
    .select("id")
    .where("game_id", "in", [...gameIds])
    .where("device_id", "=", device)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether any insight has the tag. */
export async function tagExists(db: Db, gameIds: readonly string[], tag: string): Promise<boolean> {
  const row = await db
    .selectFrom("insights")
    .select("id")
    .where("game_id", "in", [...gameIds])
    .where("tag", "=", tag)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The tags of insights, in alphabetical order. */
export async function findTags(db: Db, gameIds: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom("insights")
    .select("tag")
    .distinct()
    .where("game_id", "in", [...gameIds])
    .orderBy("tag")
    .limit(MAX_TAGS)
    .execute();
  return new Set(rows.map(({ tag }) => tag));
}

export async function findGameIds(db: Db, accountId: string): Promise<string[]> {
  const rows = await db.selectFrom("games").select("id").where("account_id", "=", accountId).execute();
  return rows.map(({ id }) => id);
}
