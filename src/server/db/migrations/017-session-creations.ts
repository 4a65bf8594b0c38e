/** What identifies the request that created a session, so that a repeated request does not create another session. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  // Null for existing sessions, and for those that have a client session id.
  await db.schema.alterTable("sessions").addColumn("creation_hash", "text").execute();
  await db.schema
    .createIndex("sessions_by_creation")
    .unique()
    .on("sessions")
    .columns(["game_id", "creation_hash"])
    .execute();
}
