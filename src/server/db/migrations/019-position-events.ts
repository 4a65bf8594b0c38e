/** Positions of every event and source, so that heatmaps can select them. */
import { type Kysely, sql } from "kysely";

interface Chunk {
  game_id: string;
  session_id: string;
  seq: number;
  event: string;
  source: string;
  room: string;
  build: string;
  environment: string;
  points: number;
  x_min: number;
  x_max: number;
  y_min: number;
  y_max: number;
  xy: Uint8Array;
}

type Block = Omit<Chunk, "session_id" | "seq"> & { id: number; mapped: number };

interface Slice {
  game_id: string;
  session_id: string;
  event: string;
  room: string;
  block: number;
  start: number;
  parts: string;
}

interface PositionTables {
  sessions: { game_id: string; id: string; source: string };
  position_chunks: Chunk;
  position_blocks: Block;
  position_slices: Slice;
}

const BOUNDS = ["x_min", "x_max", "y_min", "y_max"] as const;
const GROUP = ["game_id", "event", "source", "room", "build", "environment"];
/** Only positions of this event were stored before. */
const EVENT = "player_pos";
/** Blocks with `mapped` 1 held positions of this source, other blocks those of all other sources. */
const MAPPED_SOURCE = "unity-telemetry";

export async function up(untyped: Kysely<unknown>): Promise<void> {
  const db = untyped as Kysely<PositionTables>;
  await db.schema
    .alterTable("position_slices")
    .addColumn("event", "text", (c) => c.notNull().defaultTo(EVENT))
    .execute();
  await recreateChunks(db);
  await splitBlocks(db);
  await recreateBlockColumns(db);
}

/** SQLite cannot change the primary key of a table, so its rows move to a new one. */
async function recreateChunks(db: Kysely<PositionTables>): Promise<void> {
  await db.schema.dropIndex("position_chunks_by_room").execute();
  await db.schema.alterTable("position_chunks").renameTo("old_position_chunks").execute();
  let table = db.schema
    .createTable("position_chunks")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("session_id", "text", (c) => c.notNull())
    .addColumn("seq", "integer", (c) => c.notNull())
    .addColumn("event", "text", (c) => c.notNull())
    .addColumn("source", "text", (c) => c.notNull())
    .addColumn("room", "text", (c) => c.notNull())
    .addColumn("build", "text", (c) => c.notNull())
    .addColumn("environment", "text", (c) => c.notNull())
    .addColumn("points", "integer", (c) => c.notNull());
  for (const bound of BOUNDS) table = table.addColumn(bound, "double precision", (c) => c.notNull());
  await table
    .addColumn("xy", "blob", (c) => c.notNull())
    // The names of constraints are unique in a schema, and the old table still has its own.
    .addPrimaryKeyConstraint("position_chunks_event_key", ["game_id", "session_id", "seq", "event", "room"])
    .execute();
  await sql`
    insert into position_chunks (game_id, session_id, seq, event, source, room, build, environment, points,
      x_min, x_max, y_min, y_max, xy)
    select c.game_id, c.session_id, c.seq, ${sql.lit(EVENT)}, s.source, c.room, c.build, c.environment, c.points,
      c.x_min, c.x_max, c.y_min, c.y_max, c.xy
    from old_position_chunks c join sessions s on s.game_id = c.game_id and s.id = c.session_id
  `.execute(db);
  await db.schema.dropTable("old_position_chunks").execute();
  await db.schema
    .createIndex("position_chunks_by_room")
    .on("position_chunks")
    .columns([...GROUP, "session_id", "seq", "points", ...BOUNDS])
    .execute();
}

/** Moves the positions of blocks that hold several sources back into chunks. Compaction later makes new blocks of them. */
async function splitBlocks(db: Kysely<PositionTables>): Promise<void> {
  const mixed = await db
    .selectFrom("position_blocks")
    .select(["game_id", "id"])
    .where("mapped", "=", 0)
    .execute();
  for (const { game_id, id } of mixed) {
    const block = await db
      .selectFrom("position_blocks")
      .selectAll()
      .where("game_id", "=", game_id)
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    const slices = await db
      .selectFrom("position_slices as p")
      .innerJoin("sessions as s", (join) =>
        join.onRef("s.game_id", "=", "p.game_id").onRef("s.id", "=", "p.session_id"),
      )
      .select(["p.session_id", "p.start", "p.parts", "s.source"])
      .where("p.game_id", "=", game_id)
      .where("p.block", "=", id)
      .execute();
    for (const chunk of slices.flatMap((slice) => toChunks(block, slice)))
      await db.insertInto("position_chunks").values(chunk).execute();
    await db.deleteFrom("position_slices").where("game_id", "=", game_id).where("block", "=", id).execute();
    await db.deleteFrom("position_blocks").where("game_id", "=", game_id).where("id", "=", id).execute();
  }
}

/** The chunks that a slice was made of. */
function toChunks(
  { game_id, room, build, environment, xy }: Block,
  { session_id, start, parts, source }: Pick<Slice, "session_id" | "start" | "parts"> & { source: string },
): Chunk[] {
  const interleaved = new Float64Array(new Uint8Array(xy).buffer);
  let next = start;
  return (JSON.parse(parts) as [number, number][]).map(([seq, points]) => {
    const indexes = Array.from({ length: points }, (_, index) => 2 * (next + index));
    next += points;
    const [xs, ys] = [0, 1].map((axis) => indexes.map((index) => interleaved[index + axis] ?? 0));
    const columns = new Float64Array([...(xs ?? []), ...(ys ?? [])]);
    return {
      ...{ game_id, session_id, seq, event: EVENT, source, room, build, environment, points },
      ...{ ...bounds("x", xs ?? []), ...bounds("y", ys ?? []) },
      xy: new Uint8Array(columns.buffer),
    } as Chunk;
  });
}

function bounds(axis: "x" | "y", values: readonly number[]) {
  const min = values.reduce((low, value) => Math.min(low, value), Number.POSITIVE_INFINITY);
  const max = values.reduce((high, value) => Math.max(high, value), Number.NEGATIVE_INFINITY);
  return { [`${axis}_min`]: min, [`${axis}_max`]: max };
}

async function recreateBlockColumns(db: Kysely<PositionTables>): Promise<void> {
  await db.schema.dropIndex("position_blocks_by_room").execute();
  const blocks = db.schema.alterTable("position_blocks");
  await blocks.addColumn("event", "text", (c) => c.notNull().defaultTo(EVENT)).execute();
  await blocks.addColumn("source", "text", (c) => c.notNull().defaultTo(MAPPED_SOURCE)).execute();
  await blocks.dropColumn("mapped").execute();
  await db.schema
    .createIndex("position_blocks_by_room")
    .on("position_blocks")
    .columns([...GROUP, "id", "points", ...BOUNDS])
    .execute();
}
