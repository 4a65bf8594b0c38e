/** When the events of a session were pruned, and the state of pruning. */
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("sessions").addColumn("events_pruned_at", "bigint").execute();
  // Pruning starts with the oldest sessions that still have events, and pruned ones must not slow down that search.
  await db.schema
    .createIndex("sessions_to_prune")
    .on("sessions")
    .columns(["recorded_at", "id"])
    .where(sql<boolean>`events_pruned_at is null and next_batch > 0`)
    .execute();
  await db.schema
    .createTable("retention_state")
    .addColumn("id", "integer", (c) => c.primaryKey())
    .addColumn("keep_events_ms", "bigint")
    .addColumn("keep_sessions_ms", "bigint")
    .addColumn("holder", "text")
    .addColumn("turn", "bigint", (c) => c.notNull())
    .addColumn("game_id", "text")
    .addColumn("session_id", "text")
    .addColumn("pruned_sessions", "bigint", (c) => c.notNull())
    .addColumn("pruned_events", "bigint", (c) => c.notNull())
    .addColumn("deleted_sessions", "bigint", (c) => c.notNull())
    .addColumn("last_pruned_at", "bigint")
    .execute();
}
