/** Chat threads and the sessions they currently belong to. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("chat_threads")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("channel_id", "text", (c) => c.notNull())
    .addColumn("thread_id", "text", (c) => c.notNull())
    .addColumn("session_id", "text", (c) => c.notNull())
    .addColumn("called_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("chat_threads_key", ["game_id", "channel_id", "thread_id"])
    .execute();
}
