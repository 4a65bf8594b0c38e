/** Reads and writes keys, by their hashes alone. */
import type { KeyKind } from "../../contract/define.ts";
import { kept } from "../db/prepared.ts";
import type { Db, KeyRow } from "../db/schema.ts";

export async function keyByHash(db: Db, hash: string): Promise<KeyRow | undefined> {
  return (await byHash(db, { hash })).rows[0];
}

const byHash = kept((db, { hash }: { hash: string }) =>
  db.selectFrom("keys").selectAll().where("hash", "=", hash),
);

export async function hasKeys(db: Db, accountId: string): Promise<boolean> {
  const row = await db
    .selectFrom("keys")
    .select("hash")
    .where("account_id", "=", accountId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertKey(db: Db, row: KeyRow): Promise<void> {
  await db.insertInto("keys").values(row).execute();
}

/** Removes every key of a kind from an account. */
export async function deleteKeys(db: Db, accountId: string, kind: KeyKind): Promise<void> {
  await db.deleteFrom("keys").where("account_id", "=", accountId).where("kind", "=", kind).execute();
}

/** The keys of an account, oldest first, with the slug of the game each is bound to. */
export async function keysOf(db: Db, accountId: string): Promise<(KeyRow & { slug: string | null })[]> {
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
