/** Reads and writes position chunks: one row for each event and room of a telemetry batch. */
import { sql } from "kysely";
import { EVENTS } from "../../shared/event-names.ts";
import { readDoubles } from "../core/stored-data.ts";
import { prepareRowsQuery, runInParts } from "../db/prepared.ts";
import { deleteRows, findRow, updateRow } from "../db/rows.ts";
import type { Db, PositionBlockRow, PositionChunkRow, PositionSliceRow, SessionRow } from "../db/schema.ts";
import { BYTES_PER_POINT, BYTES_PER_Z, type EventPoints, measureHeights } from "./points.ts";

/** The session that a batch is added to. */
type ChunkOwner = Pick<SessionRow, "game_id" | "id" | "next_batch" | "build" | "environment" | "source">;

const insertChunksQuery = prepareRowsQuery((db, rows: readonly PositionChunkRow[]) =>
  db.insertInto("position_chunks").values(rows),
);

/** Stores the positions of a telemetry batch, one chunk per event and room. */
export async function insertChunks(
  db: Db,
  session: ChunkOwner,
  positions: readonly EventPoints[],
): Promise<void> {
  const { game_id, id: session_id, next_batch: seq, build, environment, source } = session;
  const common = { game_id, session_id, seq, build, environment, source };
  const rows = positions.map(({ xMin, xMax, yMin, yMax, zMin, zMax, ...chunk }) => ({
    ...{ ...common, ...chunk },
    ...{ x_min: xMin, x_max: xMax, y_min: yMin, y_max: yMax, z_min: zMin, z_max: zMax },
  }));
  await runInParts(db, insertChunksQuery, rows);
}

/** A stored batch. */
export type BatchKey = Pick<PositionChunkRow, "session_id" | "seq">;

/** Reads the chunks of a session that have not been moved into blocks, in the order of arrival. */
export async function findSessionChunks(db: Db, gameId: string, sessionId: string) {
  return await db
    .selectFrom("position_chunks")
    .select(["event", "room", "player", "xy", "z"])
    .where((eb) => eb.and({ game_id: gameId, session_id: sessionId }))
    .orderBy("seq")
    .execute();
}

/** Reads the chunks of several batches with player positions that have not been moved into blocks, in any order. */
export async function readBatchChunks(
  db: Db,
  gameId: string,
  batches: readonly BatchKey[],
): Promise<Pick<PositionChunkRow, "session_id" | "seq" | "room" | "player" | "xy" | "z">[]> {
  return await runInParts(
    db,
    batchChunksQuery,
    batches.map(({ session_id, seq }) => ({ gameId, session_id, seq })),
  );
}

const batchChunksQuery = prepareRowsQuery((db, batches: readonly (BatchKey & { gameId: string })[]) =>
  db
    .selectFrom("position_chunks")
    .select(["session_id", "seq", "room", "player", "xy", "z"])
    .where((eb) => eb.and({ game_id: batches[0]?.gameId ?? "", event: EVENTS.position }))
    .where((eb) => eb.or(batches.map(({ session_id, seq }) => eb.and({ session_id, seq })))),
);

/**
 * Deletes all positions of a session, and returns the sessions whose positions were moved within blocks. What reads
 * their positions batch by batch must start again. The caller has locked the game, so that no compaction runs.
 */
export async function removeSessionPositions(db: Db, gameId: string, sessionId: string): Promise<string[]> {
  const blocks = await db
    .selectFrom("position_slices")
    .select("block")
    .distinct()
    .where((eb) => eb.and({ game_id: gameId, session_id: sessionId }))
    .orderBy("block")
    .execute();
  const moved = new Set<string>();
  for (const { block } of blocks)
    for (const id of await removeFromBlock(db, gameId, sessionId, block)) moved.add(id);
  for (const table of ["position_slices", "position_chunks"] as const)
    await db.deleteFrom(table).where("game_id", "=", gameId).where("session_id", "=", sessionId).execute();
  return [...moved];
}

/** Rewrites a block without the points of a session. Returns the other sessions in the block. */
async function removeFromBlock(db: Db, gameId: string, sessionId: string, id: number): Promise<string[]> {
  const block = await findRow(db, "position_blocks", { game_id: gameId, id });
  const slices = await db
    .selectFrom("position_slices")
    .select(["session_id", "start", "parts"])
    .where((eb) => eb.and({ game_id: gameId, block: id }))
    .orderBy("start")
    .execute();
  const kept = slices.filter(({ session_id }) => session_id !== sessionId);
  if (!block || kept.length === 0) {
    await deleteRows(db, "position_blocks", { game_id: gameId, id });
    return [];
  }
  const removed = slices.filter(({ session_id }) => session_id === sessionId);
  await cutOut(
    db,
    block,
    removed.map((slice) => ({ start: slice.start, points: countPoints(slice) })),
  );
  return [...new Set(kept.map(({ session_id }) => session_id))];
}

/** Points of a block. */
interface Range {
  readonly start: number;
  readonly points: number;
}

/** SQLite refuses expressions that are nested deeper than 1,000. */
const MAX_RANGES_PER_STATEMENT = 200;

/** Removes ranges from a block, in ascending order. What comes after them moves up, and with it the slices of other sessions. */
async function cutOut(db: Db, block: PositionBlockRow, ranges: readonly Range[]): Promise<void> {
  const { game_id, id, points: before, xy, z } = block;
  const bytes = removeRanges(xy, ranges, BYTES_PER_POINT);
  const heights = z && removeRanges(z, ranges, BYTES_PER_Z);
  const removed = ranges.reduce((sum, { points }) => sum + points, 0);
  const slices = db.updateTable("position_slices").where("game_id", "=", game_id).where("block", "=", id);
  await db
    .deleteFrom("position_slices")
    .where((eb) => eb.and({ game_id, block: id }))
    .where(
      "start",
      "in",
      ranges.map(({ start }) => start),
    )
    .execute();
  // The last ones first, so that those before are still where they were.
  for (let last = ranges.length; last > 0; last -= MAX_RANGES_PER_STATEMENT) {
    const part = ranges.slice(Math.max(0, last - MAX_RANGES_PER_STATEMENT), last);
    const moved = part.reduce(
      (sum, { start, points }) =>
        sql<number>`${sum} - case when start > ${sql.lit(start)} then ${sql.lit(points)} else 0 end`,
      sql<number>`start`,
    );
    // Negative in between, so that no two slices ever start alike.
    await slices
      .set({ start: sql<number>`-(${moved})` })
      .where("start", ">=", part[0]?.start ?? 0)
      .execute();
    await slices.set({ start: sql<number>`-start` }).where("start", "<", 0).execute();
  }
  await updateRow(db, "position_blocks", block, {
    points: before - removed,
    ...{ ...measureBounds(bytes), ...measureHeightBounds(heights) },
    ...{ xy: bytes, z: heights },
  });
}

/** The bytes of a block without those of ranges. */
function removeRanges(bytes: Uint8Array, ranges: readonly Range[], size: number): Uint8Array {
  const kept: Uint8Array[] = [];
  let end = 0;
  for (const { start, points } of ranges) {
    kept.push(bytes.subarray(end * size, start * size));
    end = start + points;
  }
  return new Uint8Array(Buffer.concat([...kept, bytes.subarray(end * size)]));
}

const countPoints = ({ parts }: Pick<PositionSliceRow, "parts">): number =>
  (JSON.parse(parts) as [seq: number, points: number][]).reduce((sum, [, points]) => sum + points, 0);

/** The bounds of points whose x and y are interleaved. A damaged block may lack some of its bytes. */
function measureBounds(xy: Uint8Array): Pick<PositionBlockRow, "x_min" | "x_max" | "y_min" | "y_max"> {
  const view = new DataView(xy.buffer, xy.byteOffset, xy.byteLength);
  const bounds = { x_min: Infinity, x_max: -Infinity, y_min: Infinity, y_max: -Infinity };
  for (let at = 0; at + BYTES_PER_POINT <= xy.byteLength; at += BYTES_PER_POINT) {
    const [x, y] = [view.getFloat64(at, true), view.getFloat64(at + 8, true)];
    bounds.x_min = Math.min(bounds.x_min, x);
    bounds.x_max = Math.max(bounds.x_max, x);
    bounds.y_min = Math.min(bounds.y_min, y);
    bounds.y_max = Math.max(bounds.y_max, y);
  }
  return Number.isFinite(bounds.x_min) ? bounds : { x_min: 0, x_max: 0, y_min: 0, y_max: 0 };
}

/** The bounds of z. A damaged block may lack some of its bytes. */
function measureHeightBounds(z: Uint8Array | null): Pick<PositionBlockRow, "z_min" | "z_max"> {
  const whole = z?.subarray(0, z.byteLength - (z.byteLength % BYTES_PER_Z));
  const [z_min, z_max] = measureHeights(whole === undefined ? null : readDoubles(whole));
  return { z_min, z_max };
}
