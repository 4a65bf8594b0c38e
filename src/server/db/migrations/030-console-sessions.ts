/** Sessions of people who are signed in to the console. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("console_sessions")
    .addColumn("hash", "text", (c) => c.primaryKey())
    .addColumn("key_hash", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("expires_at", "bigint", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("console_sessions_by_expiry")
    .on("console_sessions")
    .column("expires_at")
    .execute();
  await db.schema
    .createIndex("console_sessions_by_key")
    .on("console_sessions")
    .columns(["key_hash", "created_at"])
    .execute();
}
