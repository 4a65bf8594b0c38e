/** Blocks of event counts by day. Compaction fills them from `event_rollups` in the background, so that the migration is short. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("event_count_blocks")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("block", "integer", (c) => c.notNull())
    .addColumn("build", "text", (c) => c.notNull())
    .addColumn("environment", "text", (c) => c.notNull())
    .addColumn("names", "text", (c) => c.notNull())
    .addColumn("counts", "blob", (c) => c.notNull())
    .addPrimaryKeyConstraint("event_count_blocks_key", ["game_id", "block", "build", "environment"])
    .execute();
}
