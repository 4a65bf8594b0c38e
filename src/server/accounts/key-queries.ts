/** Reads and writes API keys. The database contains only their hashes. */
import type { ApiKeyKind } from "../../contract/define.ts";
import { prepareQuery } from "../db/prepared.ts";
import type { ApiKeyRow, Db } from "../db/schema.ts";

export async function findKeyByHash(db: Db, hash: string): Promise<ApiKeyRow | undefined> {
  return (await keyByHashQuery(db, { hash })).rows[0];
}

const keyByHashQuery = prepareQuery((db, { hash }: { hash: string }) =>
  db.selectFrom("keys").selectAll().where("hash", "=", hash),
);

/** Whether a key is still valid. Locks it, so that it cannot be replaced until the transaction ends. */
export async function lockKey(db: Db, hash: string): Promise<boolean> {
  const row = await db
    .selectFrom("keys")
    .select("hash")
    .where("hash", "=", hash)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}

export async function hasKeys(db: Db, accountId: string): Promise<boolean> {
  const row = await db
    .selectFrom("keys")
    .select("hash")
    .where("account_id", "=", accountId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether any account in the database has a key. */
export async function hasAnyKey(db: Db): Promise<boolean> {
  return (await db.selectFrom("keys").select("hash").limit(1).executeTakeFirst()) !== undefined;
}

/** Whether any account in the database has a management key. */
export async function hasManagementKey(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom("keys")
    .select("hash")
    .where("kind", "=", "management")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertKey(db: Db, row: ApiKeyRow): Promise<void> {
  await db.insertInto("keys").values(row).execute();
}

/** Deletes all keys of one kind of an account. */
export async function deleteKeys(db: Db, accountId: string, kind: ApiKeyKind): Promise<void> {
  await db.deleteFrom("keys").where("account_id", "=", accountId).where("kind", "=", kind).execute();
}

/** Returns the keys of an account, oldest first, with the slug of the game that each is limited to. */
export async function findAccountKeys(
  db: Db,
  accountId: string,
): Promise<(ApiKeyRow & { slug: string | null })[]> {
  return await db
    .selectFrom("keys")
    .leftJoin("games", "games.id", "keys.game_id")
    .selectAll("keys")
    .select("games.slug")
    .where("keys.account_id", "=", accountId)
    .orderBy("keys.created_at")
    .orderBy("keys.hash")
    .execute();
}
