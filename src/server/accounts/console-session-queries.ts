/** Reads and writes the sessions of people who are signed in to the console. */
import type { ConsoleSessionRow, Db } from "../db/schema.ts";

export async function insertConsoleSession(db: Db, row: ConsoleSessionRow): Promise<void> {
  await db.insertInto("console_sessions").values(row).execute();
}

export async function findConsoleSession(db: Db, hash: string): Promise<ConsoleSessionRow | undefined> {
  return await db.selectFrom("console_sessions").selectAll().where("hash", "=", hash).executeTakeFirst();
}

export async function deleteConsoleSession(db: Db, hash: string): Promise<void> {
  await db.deleteFrom("console_sessions").where("hash", "=", hash).execute();
}

/** Deletes the sessions that have expired at a time (unix ms). */
export async function deleteExpiredConsoleSessions(db: Db, now: number): Promise<void> {
  await db.deleteFrom("console_sessions").where("expires_at", "<=", now).execute();
}
