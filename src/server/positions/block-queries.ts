/** Moves positions from chunks into blocks, and finds a session's positions in them again. */
import type { Db, PositionBlockRow, PositionSliceRow } from "../db/schema.ts";
import { joinPoints, unpackPoints } from "./points.ts";

/** What the positions of a block have in common. */
export type BlockKey = Pick<PositionBlockRow, "game_id" | "mapped" | "room" | "build" | "environment">;

const keyColumns = ["game_id", "mapped", "room", "build", "environment"] as const;
const boundColumns = ["x_min", "x_max", "y_min", "y_max"] as const;

/** How many points a block takes: half a megabyte. One chunk that has more is a block of its own. */
export const MAX_BLOCK_POINTS = 32_768;
/** How many chunks one step moves at most. */
const MAX_CHUNKS_PER_STEP = 512;

/** Every key with at least so many chunks. */
export async function findKeysWithChunks(db: Db, least: number): Promise<BlockKey[]> {
  return await db
    .selectFrom("position_chunks")
    .select(keyColumns)
    .groupBy(keyColumns)
    .having((eb) => eb.fn.countAll<number>(), ">=", least)
    .execute();
}

/**
 * Moves chunks of a key into its newest block, or into a new one. Answers how many were moved: none where fewer than
 * `least` are there, or where another server is moving positions of the game. For a transaction that writes.
 */
export async function moveChunks(db: Db, key: BlockKey, least: number): Promise<number> {
  const game = await db
    .selectFrom("games")
    .select("id")
    .where("id", "=", key.game_id)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!game) return 0;
  const chunks = await readChunks(db, key);
  if (chunks.length < least) return 0;
  const newest = await findNewestBlock(db, key);
  const before = newest && newest.points + (chunks[0]?.points ?? 0) <= MAX_BLOCK_POINTS ? newest : null;
  const moved = takeFittingChunks(chunks, MAX_BLOCK_POINTS - (before?.points ?? 0));
  const id = before?.id ?? (await findLastBlockId(db, key.game_id)) + 1;
  await writeBlock(db, { ...key, id, ...appendChunks(before, moved) }, before !== null);
  await moveToSlices(db, key, id, before?.points ?? 0, moved);
  return moved.length;
}

async function writeBlock(db: Db, block: PositionBlockRow, isThere: boolean): Promise<void> {
  if (!isThere) {
    await db.insertInto("position_blocks").values(block).execute();
    return;
  }
  const { game_id, id, points, x_min, x_max, y_min, y_max, xy } = block;
  await db
    .updateTable("position_blocks")
    .set({ points, x_min, x_max, y_min, y_max, xy })
    .where("game_id", "=", game_id)
    .where("id", "=", id)
    .execute();
}

type Chunk = Awaited<ReturnType<typeof readChunks>>[number];

/** The first chunks of a key: those of a session lie together. */
async function readChunks(db: Db, key: BlockKey) {
  return await db
    .selectFrom("position_chunks")
    .select(["session_id", "seq", "points", ...boundColumns, "xy"])
    .where((eb) => eb.and(key))
    .orderBy("session_id")
    .orderBy("seq")
    .limit(MAX_CHUNKS_PER_STEP)
    .execute();
}

async function findNewestBlock(db: Db, key: BlockKey): Promise<PositionBlockRow | undefined> {
  return await db
    .selectFrom("position_blocks")
    .selectAll()
    .where((eb) => eb.and(key))
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

async function findLastBlockId(db: Db, gameId: string): Promise<number> {
  const row = await db
    .selectFrom("position_blocks")
    .select((eb) => eb.fn.max<number | null>("id").as("id"))
    .where("game_id", "=", gameId)
    .executeTakeFirst();
  return Number(row?.id ?? 0);
}

/** The first chunks that have no more points than there is room for, but at least one. */
function takeFittingChunks(chunks: readonly Chunk[], room: number): Chunk[] {
  let left = room;
  const end = chunks.findIndex(({ points }, at) => {
    left -= points;
    return left < 0 && at > 0;
  });
  return chunks.slice(0, end < 0 ? chunks.length : end);
}

/** What a block has with chunks behind what it had before. */
function appendChunks(before: PositionBlockRow | null, chunks: readonly Chunk[]) {
  const parts = before ? [before, ...chunks] : chunks;
  return {
    points: parts.reduce((sum, { points }) => sum + points, 0),
    x_min: parts.reduce((least, { x_min }) => Math.min(least, x_min), Infinity),
    x_max: parts.reduce((most, { x_max }) => Math.max(most, x_max), -Infinity),
    y_min: parts.reduce((least, { y_min }) => Math.min(least, y_min), Infinity),
    y_max: parts.reduce((most, { y_max }) => Math.max(most, y_max), -Infinity),
    xy: joinPoints(
      before?.xy ?? new Uint8Array(),
      chunks.map(({ xy }) => xy),
    ),
  };
}

/** Notes where chunks lie from `start` of a block on, and takes them away. */
async function moveToSlices(
  db: Db,
  key: BlockKey,
  block: number,
  start: number,
  chunks: readonly Chunk[],
): Promise<void> {
  const { game_id, room } = key;
  let next = start;
  for (const own of groupBySession(chunks)) {
    const session_id = own[0]?.session_id ?? "";
    const parts = own.map(({ seq, points }) => [seq, points] as const);
    await db
      .insertInto("position_slices")
      .values({ game_id, session_id, room, block, start: next, parts: JSON.stringify(parts) })
      .execute();
    next += parts.reduce((sum, [, points]) => sum + points, 0);
    // A session's next batches have higher numbers: what was not read is not taken away.
    const { numDeletedRows } = await db
      .deleteFrom("position_chunks")
      .where((eb) => eb.and({ ...key, session_id }))
      .where("seq", "<=", parts.at(-1)?.[0] ?? -1)
      .executeTakeFirstOrThrow();
    if (Number(numDeletedRows) !== own.length) throw new RangeError("Chunks changed while they were moved");
  }
}

/** Runs of chunks of one session each. */
function groupBySession(chunks: readonly Chunk[]): Chunk[][] {
  const runs: Chunk[][] = [];
  for (const chunk of chunks) {
    const run = runs.at(-1);
    if (run?.[0]?.session_id === chunk.session_id) run.push(chunk);
    else runs.push([chunk]);
  }
  return runs;
}

/** Where a session's positions lie in blocks. */
export async function findSlices(db: Db, gameId: string, sessionId: string): Promise<PositionSliceRow[]> {
  return await db
    .selectFrom("position_slices")
    .selectAll()
    .where("game_id", "=", gameId)
    .where("session_id", "=", sessionId)
    .execute();
}

/** The points of a block so far: x and y of each in turn. */
export async function readBlockPoints(db: Db, gameId: string, id: number): Promise<Float64Array> {
  const { xy } = await db
    .selectFrom("position_blocks")
    .select("xy")
    .where("game_id", "=", gameId)
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return unpackPoints(xy);
}
