/** What arrived in the last minutes, for the live tail, and how often telemetry was refused, for the doctor. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("arrivals")
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("id", "bigint", (c) => c.notNull())
    .addColumn("at", "bigint", (c) => c.notNull())
    .addColumn("game_id", "text")
    .addColumn("session_id", "text")
    .addColumn("seq", "integer")
    .addColumn("entries", "integer", (c) => c.notNull())
    .addColumn("total", "bigint", (c) => c.notNull())
    .addColumn("refusals", "text")
    .addPrimaryKeyConstraint("arrivals_key", ["account_id", "id"])
    .execute();
  await db.schema.createIndex("arrivals_by_time").on("arrivals").columns(["at"]).execute();
  await db.schema
    .createTable("refusal_counts")
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("hour", "bigint", (c) => c.notNull())
    .addColumn("reason", "text", (c) => c.notNull())
    .addColumn("refusals", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("refusal_counts_key", ["account_id", "hour", "reason"])
    .execute();
}
