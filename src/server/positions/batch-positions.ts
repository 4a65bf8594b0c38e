/** Reads the player positions of one batch of each of several sessions, with few statements for all of them. */
import { skipDamaged } from "../core/damaged-data.ts";
import type { Db, PositionSliceRow } from "../db/schema.ts";
import { findSlices, readBlocks } from "./block-queries.ts";
import { type BatchKey, readBatchChunks } from "./chunk-queries.ts";
import { slicePoints, unpackPoints } from "./points.ts";
import { type ChunkLocation, formatLocationKey, locateChunks } from "./session-positions.ts";

/** Maximum number of blocks in memory at a time. Each has up to 500 kB. */
const BLOCKS_PER_STATEMENT = 16;

/** A stored batch, and the rooms in which it has positions. No two of the batches are of the same session. */
export interface BatchRooms extends BatchKey {
  readonly rooms: readonly string[];
}

/** Every x, then every y, by room. */
type RoomColumns = Map<string, Float64Array>;

/** The points of each batch, by session. Sessions whose positions are missing or damaged are left out. */
export async function readBatchPositions(
  db: Db,
  gameId: string,
  batches: readonly BatchRooms[],
): Promise<Map<string, RoomColumns>> {
  const columns = new Map<string, RoomColumns>(batches.map(({ sessionId }) => [sessionId, new Map()]));
  const withRooms = batches.filter(({ rooms }) => rooms.length > 0);
  if (withRooms.length === 0) return columns;
  for (const { session_id, room, xy } of await readBatchChunks(db, gameId, withRooms)) {
    const points = await skipDamaged(() => unpackPoints(xy));
    if (points !== null) columns.get(session_id)?.set(room, points);
  }
  // Compaction moves chunks into blocks, so what is not in a chunk any more is in a block.
  const isMoved = ({ sessionId, rooms }: BatchRooms) =>
    rooms.some((room) => columns.get(sessionId)?.has(room) === false);
  const moved = withRooms.filter(isMoved);
  if (moved.length > 0) await readMoved(db, gameId, moved, columns);
  for (const batch of moved) if (isMoved(batch)) columns.delete(batch.sessionId);
  return columns;
}

/** A chunk that was moved into a block. */
interface MovedChunk extends ChunkLocation {
  readonly sessionId: string;
  readonly room: string;
}

async function readMoved(
  db: Db,
  gameId: string,
  batches: readonly BatchRooms[],
  columns: ReadonlyMap<string, RoomColumns>,
): Promise<void> {
  const byBlock = new Map<number, MovedChunk[]>();
  for (const chunk of await findMovedChunks(db, gameId, batches))
    byBlock.set(chunk.block, [...(byBlock.get(chunk.block) ?? []), chunk]);
  const ids = [...byBlock.keys()];
  for (let start = 0; start < ids.length; start += BLOCKS_PER_STATEMENT) {
    for (const { id, xy } of await readBlocks(db, gameId, ids.slice(start, start + BLOCKS_PER_STATEMENT))) {
      const block = await skipDamaged(() => unpackPoints(xy));
      for (const chunk of block === null ? [] : (byBlock.get(id) ?? [])) {
        const points = await skipDamaged(() =>
          slicePoints(block ?? new Float64Array(), chunk.start, chunk.points),
        );
        const known = columns.get(chunk.sessionId);
        if (points !== null && known?.has(chunk.room) === false) known.set(chunk.room, points);
      }
    }
  }
}

/** Where the points of the batches are in blocks. Sessions with damaged slices are left out. */
async function findMovedChunks(
  db: Db,
  gameId: string,
  batches: readonly BatchRooms[],
): Promise<MovedChunk[]> {
  const ids = batches.map(({ sessionId }) => sessionId);
  const slices = new Map<string, PositionSliceRow[]>(ids.map((id) => [id, []]));
  for (const slice of await findSlices(db, gameId, ids)) slices.get(slice.session_id)?.push(slice);
  const chunks: MovedChunk[] = [];
  for (const { sessionId, seq, rooms } of batches) {
    const locations = await skipDamaged(() => locateChunks(slices.get(sessionId) ?? []));
    for (const room of rooms) {
      const location = locations?.get(formatLocationKey(seq, room));
      if (location !== undefined) chunks.push({ ...location, sessionId, room });
    }
  }
  return chunks;
}
