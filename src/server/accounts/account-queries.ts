/** Queries on accounts and their API keys. */
import { ServiceError } from "../core/errors.ts";
import { prepareQuery } from "../db/prepared.ts";
import { deleteRows, hasRows, updateRows } from "../db/rows.ts";
import type { AccountRow, ApiKeyRow, Db } from "../db/schema.ts";

/** Returns the oldest account, or undefined in a new database. */
export async function findFirstAccount(db: Db): Promise<AccountRow | undefined> {
  return await db
    .selectFrom("accounts")
    .selectAll()
    .orderBy("created_at")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
}

/** Finds an account by id or name. Throws `not_found` if there is none, and `invalid` if several have the name. */
export async function requireAccount(db: Db, idOrName: string): Promise<AccountRow> {
  const rows = await db
    .selectFrom("accounts")
    .selectAll()
    .where((eb) => eb.or([eb("id", "=", idOrName), eb("name", "=", idOrName)]))
    .orderBy("created_at")
    .execute();
  const account = rows.find((row) => row.id === idOrName) ?? rows[0];
  if (!account)
    throw new ServiceError("not_found", {
      message: `Account ${JSON.stringify(idOrName)} not found`,
      hint: "Run `playtest admin accounts list` to see all accounts.",
    });
  if (rows.length > 1 && account.id !== idOrName) {
    throw new ServiceError("invalid", {
      message: `${rows.length} accounts are named ${JSON.stringify(idOrName)}`,
      hint: "Use the id of the account. Run `playtest admin accounts list` to see it.",
    });
  }
  return account;
}

/** When the next active key stops working, unix ms; null if none expires. */
export async function findNextExpiry(db: Db, now: number): Promise<number | null> {
  const row = await db
    .selectFrom("keys")
    .select("expires_at")
    .where("expires_at", ">", now)
    .orderBy("expires_at")
    .limit(1)
    .executeTakeFirst();
  return row?.expires_at ?? null;
}

/** Returns all accounts with their number of games, oldest first. */
export async function listAccounts(db: Db): Promise<(AccountRow & { games: number })[]> {
  const rows = await db
    .selectFrom("accounts")
    .selectAll("accounts")
    .select((eb) =>
      eb
        .selectFrom("games")
        .select((games) => games.fn.countAll<number>().as("n"))
        .whereRef("games.account_id", "=", "accounts.id")
        .as("games"),
    )
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ ...row, games: Number(row.games) }));
}

export async function findKeyByHash(db: Db, hash: string): Promise<ApiKeyRow | undefined> {
  return (await keyByHashQuery(db, { hash })).rows[0];
}

const keyByHashQuery = prepareQuery((db, { hash }: { hash: string }) =>
  db.selectFrom("keys").selectAll().where("hash", "=", hash),
);

/**
 * Whether a key is valid at a time. Locks it, so that it cannot be deleted until the transaction ends. The lock allows
 * changes of its last use and its expiry.
 */
export async function lockKey(db: Db, hash: string, now: number): Promise<boolean> {
  return (await lockKeyQuery(db, { hash, now })).rows.length > 0;
}

const lockKeyQuery = prepareQuery((db, { hash, now }: { hash: string; now: number }) =>
  db
    .selectFrom("keys")
    .select("hash")
    .where("hash", "=", hash)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now)]))
    .forKeyShare(),
);

/** Lets a key expire, before any server's clock. Does not wait for requests that hold a lock on the key. */
export async function expireKey(db: Db, hash: string): Promise<void> {
  await updateRows(db, "keys", { hash }, { expires_at: 0 });
}

/** Deletes a key. Waits for the transactions that hold a lock on it. */
export async function deleteKey(db: Db, hash: string): Promise<void> {
  await deleteRows(db, "keys", { hash });
}

/** Stores the day of the last use of a key, unless it was used on a later day. */
export async function storeKeyUse(db: Db, hash: string, day: number): Promise<void> {
  await db
    .updateTable("keys")
    .set({ last_used_at: day })
    .where("hash", "=", hash)
    .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<", day)]))
    .execute();
}

export async function hasKeys(db: Db, accountId: string): Promise<boolean> {
  return await hasRows(db.selectFrom("keys").select("hash").where("account_id", "=", accountId));
}

/** Whether any account in the database has a management key. */
export async function hasManagementKey(db: Db): Promise<boolean> {
  return await hasRows(db.selectFrom("keys").select("hash").where("kind", "=", "management"));
}

/** Deletes the management key of an account itself, but not its named management keys. */
export async function deleteOwnKey(db: Db, accountId: string): Promise<void> {
  await db
    .deleteFrom("keys")
    .where((eb) => eb.and({ account_id: accountId, kind: "management" }))
    .where("name", "is", null)
    .execute();
}

/** Returns the keys of an account, oldest first, with the slug of the game that each is limited to. */
export async function findAccountKeys(db: Db, accountId: string) {
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
