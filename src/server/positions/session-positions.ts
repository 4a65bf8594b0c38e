/** Reads the positions of a session batch by batch, from chunks and from the blocks that chunks were moved into. */

import { DamagedData, parseStoredJson } from "../core/stored-data.ts";
import type { Db, PositionSliceRow } from "../db/schema.ts";
import { findSessionSlices, findSlices, readBlockPoints } from "./block-queries.ts";
import { findSessionChunks, readBatchChunks } from "./chunk-queries.ts";
import { formatPlayerRoom, type PlayerRoom, type Points, slicePoints, unpackPoints } from "./points.ts";

/** Where the points of a chunk are in a block. */
export interface ChunkLocation {
  readonly block: number;
  readonly start: number;
  readonly points: number;
}

/** Maximum number of cached blocks. Few are needed, because the positions of a session in a room are close together. */
const MAX_CACHED_BLOCKS = 16;

/** Reader for the positions of one session. Compaction may move chunks at the same time. */
export class SessionPositions {
  readonly #db: Db;
  readonly #gameId: string;
  readonly #sessionId: string;
  #locations = new Map<string, ChunkLocation>();
  readonly #blocks = new Map<number, Points>();

  constructor(db: Db, gameId: string, sessionId: string) {
    this.#db = db;
    this.#gameId = gameId;
    this.#sessionId = sessionId;
  }

  /**
   * Reads the points of a batch in each of its rooms, in the layout of a chunk, by room and player (`formatPlayerRoom`). Throws
   * DamagedData.
   */
  async readBatch(seq: number, rooms: readonly PlayerRoom[]): Promise<Map<string, Points>> {
    const columns = new Map<string, Points>();
    if (rooms.length === 0) return columns;
    const chunks = await readBatchChunks(this.#db, this.#gameId, [{ session_id: this.#sessionId, seq }]);
    for (const chunk of chunks) columns.set(formatPlayerRoom(chunk), unpackPoints(chunk));
    for (const room of rooms) {
      const key = formatPlayerRoom(room);
      if (!columns.has(key)) columns.set(key, await this.#readMoved(seq, room));
    }
    return columns;
  }

  /** Reads the points of a chunk that was moved into a block. Called only if the chunk is gone, so the block has them. */
  async #readMoved(seq: number, room: PlayerRoom): Promise<Points> {
    const key = formatLocationKey(seq, room);
    if (!this.#locations.has(key)) this.#locations = await this.#readLocations();
    const location = this.#locations.get(key);
    if (!location) throw new DamagedData("Stored positions are missing");
    const { block, start, points } = location;
    return slicePoints(await this.#readBlock(block, start + points), start, points);
  }

  async #readLocations(): Promise<Map<string, ChunkLocation>> {
    return locateChunks(await findSlices(this.#db, this.#gameId, [this.#sessionId]));
  }

  /** Reads a block with at least `minPoints` points. A cached block is read again if it has grown since. */
  async #readBlock(id: number, minPoints: number): Promise<Points> {
    const cached = this.#blocks.get(id);
    this.#blocks.delete(id);
    const block =
      cached && cached.xy.length >= 2 * minPoints
        ? cached
        : await readBlockPoints(this.#db, this.#gameId, id);
    this.#blocks.set(id, block);
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= MAX_CACHED_BLOCKS) break;
      this.#blocks.delete(oldest);
    }
    return block;
  }
}

/** Positions of a session in a room, each as `[x, y]` or `[x, y, z]`. */
interface RoomPositions extends PlayerRoom {
  readonly event: string;
  readonly positions: readonly (readonly number[])[];
}

/** Reads all positions of a session, also if its events are not stored any more. Throws DamagedData. */
export async function readAllPositions(db: Db, gameId: string, sessionId: string): Promise<RoomPositions[]> {
  const chunks = await findSessionChunks(db, gameId, sessionId);
  const found = chunks.map(({ event, room, player, ...bytes }) => ({
    ...{ event, room, player },
    positions: listPositions(unpackPoints(bytes)),
  }));
  for (const slice of await findSessionSlices(db, gameId, sessionId)) {
    const { event, room, player, block, start, parts } = slice;
    const count = parseParts(parts).reduce((sum, [, points]) => sum + points, 0);
    const points = slicePoints(await readBlockPoints(db, gameId, block), start, count);
    found.push({ event, room, player, positions: listPositions(points) });
  }
  return found;
}

/** The positions of points in the layout of a chunk. */
function listPositions({ xy, z }: Points): number[][] {
  const count = xy.length / 2;
  return Array.from({ length: count }, (_, index) => {
    const height = z?.[index] ?? Number.NaN;
    return [xy[index] ?? 0, xy[count + index] ?? 0, ...(Number.isNaN(height) ? [] : [height])];
  });
}

/** Finds where the chunks of one session are, by the key of `formatLocationKey`. Throws DamagedData. */
export function locateChunks(
  slices: readonly Pick<PositionSliceRow, "room" | "player" | "block" | "start" | "parts">[],
): Map<string, ChunkLocation> {
  const locations = new Map<string, ChunkLocation>();
  for (const { room, player, block, start, parts } of slices) {
    let next = start;
    for (const [seq, points] of parseParts(parts)) {
      locations.set(formatLocationKey(seq, { room, player }), { block, start: next, points });
      next += points;
    }
  }
  return locations;
}

/** Parses the parts of a slice: the number of each batch, with its number of points. */
export function parseParts(json: string): (readonly [seq: number, points: number])[] {
  const parts = parseStoredJson(json, "A slice of positions");
  const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
  const isPart = (part: unknown) => Array.isArray(part) && part.length === 2 && part.every(isCount);
  if (Array.isArray(parts) && parts.every(isPart)) return parts;
  throw new DamagedData("A slice of positions is invalid");
}

/** Identifies a chunk of a session. */
export const formatLocationKey = (seq: number, room: PlayerRoom) => `${seq} ${formatPlayerRoom(room)}`;
