/** Reads and writes the sessions of people who are signed in to the console. */
import { prepareQuery } from "../db/prepared.ts";
import { deleteRows } from "../db/rows.ts";
import type { ApiKeyRow, ConsoleSessionRow, Db } from "../db/schema.ts";

/** A session with its key; null if the key is not in the database. */
interface FoundSession {
  readonly keyHash: string;
  /** Unix ms. */
  readonly expiresAt: number;
  readonly key: ApiKeyRow | null;
}

export async function findConsoleSession(db: Db, hash: string): Promise<FoundSession | null> {
  const row = (await sessionWithKeyQuery(db, { hash })).rows[0];
  if (!row) return null;
  const { key_hash: keyHash, session_expires_at: expiresAt, ...key } = row;
  return { keyHash, expiresAt, key: key.hash === null ? null : (key as ApiKeyRow) };
}

const sessionWithKeyQuery = prepareQuery((db, { hash }: { hash: string }) =>
  db
    .selectFrom("console_sessions")
    .leftJoin("keys", "keys.hash", "console_sessions.key_hash")
    .selectAll("keys")
    .select(["console_sessions.key_hash", "console_sessions.expires_at as session_expires_at"])
    .where("console_sessions.hash", "=", hash),
);

export async function deleteConsoleSession(db: Db, hash: string): Promise<void> {
  await deleteRows(db, "console_sessions", { hash });
}

/** Deletes the sessions that have expired at a time (unix ms). */
export async function deleteExpiredConsoleSessions(db: Db, now: number): Promise<void> {
  await db.deleteFrom("console_sessions").where("expires_at", "<=", now).execute();
}

/** How many sessions one call of `deleteOldestConsoleSessions` deletes at most. */
const MAX_DELETED = 100;

/** Deletes the oldest sessions of a key, so that `max` of them remain. Never deletes the given session. */
export async function deleteOldestConsoleSessions(
  db: Db,
  { hash, key_hash }: Pick<ConsoleSessionRow, "hash" | "key_hash">,
  max: number,
): Promise<void> {
  const oldest = await db
    .selectFrom("console_sessions")
    .select("hash")
    .where("key_hash", "=", key_hash)
    .where("hash", "!=", hash)
    .orderBy("created_at", "desc")
    .orderBy("hash")
    .limit(MAX_DELETED)
    .offset(max - 1)
    .execute();
  if (oldest.length === 0) return;
  const hashes = oldest.map((session) => session.hash);
  await db.deleteFrom("console_sessions").where("hash", "in", hashes).execute();
}
