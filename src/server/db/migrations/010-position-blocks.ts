/** Position blocks, and the slices of them that belong to each session. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  const bounds = ["x_min", "x_max", "y_min", "y_max"];
  const group = ["game_id", "mapped", "room", "build", "environment"];
  let blocks = db.schema
    .createTable("position_blocks")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("id", "bigint", (c) => c.notNull())
    .addColumn("mapped", "integer", (c) => c.notNull())
    .addColumn("room", "text", (c) => c.notNull())
    .addColumn("build", "text", (c) => c.notNull())
    .addColumn("environment", "text", (c) => c.notNull())
    .addColumn("points", "integer", (c) => c.notNull());
  for (const bound of bounds) {
    blocks = blocks.addColumn(bound as "x_min", "double precision", (c) => c.notNull());
  }
  await blocks
    .addColumn("xy", "blob", (c) => c.notNull())
    .addPrimaryKeyConstraint("position_blocks_key", ["game_id", "id"])
    .execute();
  await db.schema
    .createIndex("position_blocks_by_room")
    .on("position_blocks")
    .columns([...group, "id", "points", ...bounds])
    .execute();
  await db.schema
    .createTable("position_slices")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("session_id", "text", (c) => c.notNull())
    .addColumn("room", "text", (c) => c.notNull())
    .addColumn("block", "bigint", (c) => c.notNull())
    .addColumn("start", "integer", (c) => c.notNull())
    .addColumn("parts", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("position_slices_key", ["game_id", "session_id", "room", "block", "start"])
    .execute();
  // The same index, now in the order in which blocks are filled.
  await db.schema.dropIndex("position_chunks_by_room").execute();
  await db.schema
    .createIndex("position_chunks_by_room")
    .on("position_chunks")
    .columns([...group, "session_id", "seq", "points", ...bounds])
    .execute();
}
