/** Deletions: tombstones of what was erased, erasures in progress, and indexes that find everything of a session. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  // Grids and event names that servers cache are counted again after it has changed.
  await db.schema
    .alterTable("games")
    .addColumn("deletions", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable("secrets")
    .addColumn("name", "text", (c) => c.primaryKey())
    .addColumn("value", "text", (c) => c.notNull())
    .execute();
  await db.schema
    .createTable("tombstones")
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull())
    .addColumn("erased_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("tombstones_key", ["kind", "hash"])
    .execute();
  await db.schema
    .createTable("erasures")
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("started_at", "bigint", (c) => c.notNull())
    .addColumn("plan", "text", (c) => c.notNull())
    .addColumn("counts", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("erasures_key", ["account_id", "id"])
    .execute();
  const indexes: [string, string, string[]][] = [
    ["position_slices_by_block", "position_slices", ["game_id", "block"]],
    ["exposures_by_session", "exposures", ["game_id", "session_id"]],
    ["chat_threads_by_session", "chat_threads", ["game_id", "session_id"]],
  ];
  for (const [name, table, columns] of indexes)
    await db.schema.createIndex(name).on(table).columns(columns).execute();
}
