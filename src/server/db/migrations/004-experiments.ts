/** Experiments, audiences, exposures and digests. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("audiences")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("predicates", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("audiences_key", ["game_id", "id"])
    .execute();
  await experiments(db);
  await db.schema
    .createTable("exposures")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("experiment_id", "text", (c) => c.notNull())
    .addColumn("session_id", "text", (c) => c.notNull())
    .addColumn("variant_key", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("exposures_key", ["game_id", "experiment_id", "session_id", "variant_key"])
    .execute();
  await db.schema
    .createTable("experiment_digests")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("experiment_id", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("confidence_label", "text", (c) => c.notNull())
    .addColumn("digest", "text", (c) => c.notNull())
    .addColumn("generated_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("experiment_digests_key", ["game_id", "experiment_id"])
    .execute();
}

async function experiments(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("experiments")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("variants", "text", (c) => c.notNull())
    .addColumn("audience_id", "text")
    .addColumn("winner_variant_key", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("started_at", "bigint")
    .addColumn("stopped_at", "bigint")
    .addColumn("deleted_at", "bigint")
    .addPrimaryKeyConstraint("experiments_key", ["game_id", "id"])
    .execute();
  await db.schema.createIndex("experiments_by_id").on("experiments").columns(["id"]).execute();
  await db.schema
    .createIndex("experiments_by_time")
    .on("experiments")
    .columns(["game_id", "created_at desc", "id"])
    .execute();
}
