/** Webhooks of accounts, their outbox, and the decisions of experiments, which are announced once. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("webhooks")
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("game_id", "text")
    .addColumn("url", "text", (c) => c.notNull())
    .addColumn("format", "text", (c) => c.notNull())
    .addColumn("events", "text", (c) => c.notNull())
    .addColumn("secret", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("lease", "bigint")
    .addColumn("delivered", "bigint", (c) => c.notNull())
    .addColumn("dropped", "bigint", (c) => c.notNull())
    .addColumn("attempted_at", "bigint")
    .addColumn("failing_since", "bigint")
    .addColumn("last_error", "text")
    .addPrimaryKeyConstraint("webhooks_key", ["account_id", "id"])
    .execute();
  await outbox(db);
  await db.schema
    .createTable("experiment_decisions")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("experiment_id", "text", (c) => c.notNull())
    .addColumn("variant_key", "text")
    .addColumn("checked_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("experiment_decisions_key", ["game_id", "experiment_id"])
    .execute();
}

async function outbox(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("webhook_deliveries")
    .addColumn("webhook_id", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("session_id", "text")
    .addColumn("player_id", "text")
    .addColumn("type", "text", (c) => c.notNull())
    .addColumn("body", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("due_at", "bigint", (c) => c.notNull())
    .addColumn("attempts", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("webhook_deliveries_key", ["webhook_id", "id"])
    .execute();
  await db.schema
    .createIndex("webhook_deliveries_by_time")
    .on("webhook_deliveries")
    .columns(["webhook_id", "due_at", "id"])
    .execute();
  // For deleting what belongs to a session or a game.
  await db.schema
    .createIndex("webhook_deliveries_by_session")
    .on("webhook_deliveries")
    .columns(["game_id", "session_id"])
    .execute();
}
