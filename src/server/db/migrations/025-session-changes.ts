/** When data of sessions changed last, by the hour in which they started, so that exports find what is new, changed or deleted. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("session_changes")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("hour", "bigint", (c) => c.notNull())
    .addColumn("changed_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("session_changes_key", ["game_id", "hour"])
    .execute();
  await db.schema
    .createIndex("session_changes_by_time")
    .on("session_changes")
    .columns(["game_id", "changed_at", "hour"])
    .execute();
}
