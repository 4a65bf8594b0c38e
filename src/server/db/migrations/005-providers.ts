/** AI providers of accounts, their cached responses (embeddings and suggestions), and times in rooms. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("providers")
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("base_url", "text", (c) => c.notNull())
    .addColumn("model", "text", (c) => c.notNull())
    .addColumn("api_key", "text", (c) => c.notNull())
    .addColumn("timeout_ms", "integer", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("providers_key", ["account_id", "kind"])
    .execute();
  await db.schema
    .createTable("embeddings")
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull())
    .addColumn("vector", "blob", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("embeddings_key", ["account_id", "hash"])
    .execute();
  await db.schema
    .createTable("suggestion_answers")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull())
    .addColumn("answer", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("suggestion_answers_key", ["game_id", "hash"])
    .execute();
  await roomTimes(db);
}

/** How long each session stayed in each room, so that the analysis can compare a session with the others of its game. */
async function roomTimes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("room_times")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("session_id", "text", (c) => c.notNull())
    .addColumn("room", "text", (c) => c.notNull())
    .addColumn("ms", "bigint", (c) => c.notNull())
    .addColumn("recorded_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("room_times_key", ["game_id", "session_id", "room"])
    .execute();
  await db.schema
    .createIndex("room_times_by_room")
    .on("room_times")
    .columns(["game_id", "room", "recorded_at desc", "session_id", "ms"])
    .execute();
}
