/** Moves positions from chunks into blocks, and finds the positions of a session in blocks. */

import { type RawBuilder, sql } from "kysely";
import { EVENTS } from "../../shared/event-names.ts";
import { DamagedData } from "../core/stored-data.ts";
import { insertRow, updateRow } from "../db/rows.ts";
import type { Db, PositionBlockRow } from "../db/schema.ts";
import { isReachable } from "../db/sharding.ts";
import { tryLockGame } from "../games/game-queries.ts";
import { BYTES_PER_POINT, BYTES_PER_Z, joinPoints, type Points, unpackPoints } from "./points.ts";

/** The columns that all positions of a block share. */
export type BlockKey = Pick<PositionBlockRow, (typeof keyColumns)[number]>;

const keyColumns = ["game_id", "event", "source", "room", "build", "environment", "player"] as const;
const boundColumns = ["x_min", "x_max", "y_min", "y_max", "z_min", "z_max"] as const;

/** Maximum number of points in a block, about 500 kB. A larger chunk becomes a block of its own. */
export const MAX_BLOCK_POINTS = 32_768;
/** Maximum number of chunks that one step moves. */
const MAX_CHUNKS_PER_STEP = 512;

/**
 * Whether the points of a row have as many bytes as their number takes. Compaction leaves damaged chunks where they are,
 * and does not append to a damaged block, so that damage never spreads to the points of other sessions.
 */
const isIntact: RawBuilder<boolean> = sql`length(xy) = ${sql.lit(BYTES_PER_POINT)} * points and points > 0
  and (z is null or length(z) = ${sql.lit(BYTES_PER_Z)} * points)`;

/** Finds every key with at least `minChunks` chunks. */
export async function findKeysWithChunks(db: Db, minChunks: number): Promise<BlockKey[]> {
  return await db
    .selectFrom("position_chunks")
    .select(keyColumns)
    .where(isReachable(db))
    .groupBy(keyColumns)
    .having((eb) => eb.fn.countAll<number>(), ">=", minChunks)
    .execute();
}

/**
 * Moves chunks of a key into its newest block, or into a new block. Returns how many were moved: 0 if there are fewer than
 * `minChunks`, or if another server is moving positions of the game. Requires a write transaction.
 */
export async function moveChunks(db: Db, key: BlockKey, minChunks: number): Promise<number> {
  if (!(await tryLockGame(db, key.game_id))) return 0;
  const chunks = await readChunks(db, key);
  if (chunks.length < minChunks) return 0;
  const newest = await findNewestBlock(db, key);
  const existing = newest && newest.points + (chunks[0]?.points ?? 0) <= MAX_BLOCK_POINTS ? newest : null;
  const moved = takeFittingChunks(chunks, MAX_BLOCK_POINTS - (existing?.points ?? 0));
  const id = existing?.id ?? (await findLastBlockId(db, key.game_id)) + 1;
  const content = appendChunks(existing, moved);
  if (existing) await updateRow(db, "position_blocks", existing, content);
  else await insertRow(db, "position_blocks", { ...key, id, ...content });
  await moveToSlices(db, key, id, existing?.points ?? 0, moved);
  return moved.length;
}

type Chunk = Awaited<ReturnType<typeof readChunks>>[number];

/** Reads the first chunks of a key, grouped by session. */
async function readChunks(db: Db, key: BlockKey) {
  return await db
    .selectFrom("position_chunks")
    .select(["session_id", "seq", "points", ...boundColumns, "xy", "z"])
    .where((eb) => eb.and(key))
    .where(isIntact)
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
    .where(isIntact)
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

/** The first chunks whose points fit into the capacity, but at least one chunk. */
function takeFittingChunks(chunks: readonly Chunk[], capacity: number): Chunk[] {
  let remaining = capacity;
  const end = chunks.findIndex(({ points }, index) => {
    remaining -= points;
    return remaining < 0 && index > 0;
  });
  return chunks.slice(0, end < 0 ? chunks.length : end);
}

/** The columns of a block after chunks are appended to its points. */
function appendChunks(block: PositionBlockRow | null, chunks: readonly Chunk[]) {
  const parts = block ? [block, ...chunks] : chunks;
  return {
    points: parts.reduce((sum, { points }) => sum + points, 0),
    x_min: parts.reduce((min, { x_min }) => Math.min(min, x_min), Infinity),
    x_max: parts.reduce((max, { x_max }) => Math.max(max, x_max), -Infinity),
    y_min: parts.reduce((min, { y_min }) => Math.min(min, y_min), Infinity),
    y_max: parts.reduce((max, { y_max }) => Math.max(max, y_max), -Infinity),
    z_min: parts.reduce<number | null>((min, { z_min }) => mergeBounds(Math.min, min, z_min), null),
    z_max: parts.reduce<number | null>((max, { z_max }) => mergeBounds(Math.max, max, z_max), null),
    ...joinPoints(block ?? { xy: new Uint8Array(), z: null }, chunks),
  };
}

/** One of two bounds of z. Points without a z have none. */
export function mergeBounds(
  choose: (a: number, b: number) => number,
  a: number | null,
  b: number | null,
): number | null {
  return a === null || b === null ? (a ?? b) : choose(a, b);
}

/** Inserts slices for chunks that were appended to a block at the point index `start`, and deletes the chunks. */
async function moveToSlices(
  db: Db,
  key: BlockKey,
  block: number,
  start: number,
  chunks: readonly Chunk[],
): Promise<void> {
  const { game_id, event, room, player } = key;
  let next = start;
  for (const run of groupBySession(chunks)) {
    const session_id = run[0]?.session_id ?? "";
    const parts = run.map(({ seq, points }) => [seq, points] as const);
    await insertRow(db, "position_slices", {
      game_id,
      session_id,
      event,
      room,
      player,
      block,
      start: next,
      parts: JSON.stringify(parts),
    });
    next += parts.reduce((sum, [, points]) => sum + points, 0);
    // Newer batches of the session have higher numbers, so chunks that were not read are not deleted.
    const { numDeletedRows } = await db
      .deleteFrom("position_chunks")
      .where((eb) => eb.and({ ...key, session_id }))
      .where("seq", "<=", parts.at(-1)?.[0] ?? -1)
      .where(isIntact)
      .executeTakeFirstOrThrow();
    if (Number(numDeletedRows) !== run.length) throw new RangeError("Chunks changed while they were moved");
  }
}

/** Splits chunks into runs of the same session. */
function groupBySession(chunks: readonly Chunk[]): Chunk[][] {
  const runs: Chunk[][] = [];
  for (const chunk of chunks) {
    const run = runs.at(-1);
    if (run?.[0]?.session_id === chunk.session_id) run.push(chunk);
    else runs.push([chunk]);
  }
  return runs;
}

/** Finds the slices of blocks that contain player positions of these sessions. */
export async function findSlices(db: Db, gameId: string, sessionIds: readonly string[]) {
  return await db
    .selectFrom("position_slices")
    .selectAll()
    .where("game_id", "=", gameId)
    .where("session_id", "in", sessionIds)
    .where("event", "=", EVENTS.position)
    .execute();
}

/** All slices of blocks with positions of a session, block by block. */
export async function findSessionSlices(db: Db, gameId: string, sessionId: string) {
  return await db
    .selectFrom("position_slices")
    .selectAll()
    .where((eb) => eb.and({ game_id: gameId, session_id: sessionId }))
    .orderBy("block")
    .orderBy("start")
    .execute();
}

/** Reads blocks by their ids, in any order. */
export async function readBlocks(db: Db, gameId: string, ids: readonly number[]) {
  return await db
    .selectFrom("position_blocks")
    .select(["id", "xy", "z"])
    .where("game_id", "=", gameId)
    .where("id", "in", ids)
    .execute();
}

/** Reads the points of a block. Throws DamagedData. */
export async function readBlockPoints(db: Db, gameId: string, id: number): Promise<Points> {
  const row = await db
    .selectFrom("position_blocks")
    .select(["xy", "z"])
    .where((eb) => eb.and({ game_id: gameId, id }))
    .executeTakeFirst();
  if (!row) throw new DamagedData("A block of positions is missing");
  return unpackPoints(row);
}
