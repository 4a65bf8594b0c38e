/** Reads a session's positions, batch by batch: from their chunks, and from the blocks that chunks have been moved into. */

import type { Db } from "../db/schema.ts";
import { findSlices, readBlockPoints } from "./block-queries.ts";
import { readBatchChunks } from "./chunk-queries.ts";
import { slicePoints, unpackPoints } from "./points.ts";

interface ChunkLocation {
  readonly block: number;
  readonly start: number;
  readonly points: number;
}

/** How many blocks are kept while a session is read: its positions in a room lie near each other. */
const MAX_CACHED_BLOCKS = 16;

/** The positions of one session. Chunks may be moved while it is read. */
export class SessionPositions {
  readonly #db: Db;
  readonly #gameId: string;
  readonly #sessionId: string;
  #places = new Map<string, ChunkLocation>();
  readonly #blocks = new Map<number, Float64Array>();

  constructor(db: Db, gameId: string, sessionId: string) {
    this.#db = db;
    this.#gameId = gameId;
    this.#sessionId = sessionId;
  }

  /** The points of a batch in each of its rooms: n of x, then n of y. */
  async readBatch(seq: number, rooms: readonly string[]): Promise<Map<string, Float64Array>> {
    const columns = new Map<string, Float64Array>();
    if (rooms.length === 0) return columns;
    const chunks = await readBatchChunks(this.#db, this.#gameId, this.#sessionId, seq);
    for (const { room, xy } of chunks) columns.set(room, unpackPoints(xy));
    for (const room of rooms) if (!columns.has(room)) columns.set(room, await this.#moved(seq, room));
    return columns;
  }

  /** The points of a chunk that was moved. Its place is looked up after the chunk was: it is in one or the other. */
  async #moved(seq: number, room: string): Promise<Float64Array> {
    const name = formatLocationKey(seq, room);
    if (!this.#places.has(name)) this.#places = await this.#readPlaces();
    const place = this.#places.get(name);
    if (!place)
      throw new RangeError(`The positions of batch ${seq} of session ${this.#sessionId} are missing`);
    const { block, start, points } = place;
    return slicePoints(await this.#block(block, start + points), start, points);
  }

  async #readPlaces(): Promise<Map<string, ChunkLocation>> {
    const places = new Map<string, ChunkLocation>();
    for (const { room, block, start, parts } of await findSlices(this.#db, this.#gameId, this.#sessionId)) {
      let next = start;
      for (const [seq, points] of JSON.parse(parts) as [number, number][]) {
        places.set(formatLocationKey(seq, room), { block, start: next, points });
        next += points;
      }
    }
    return places;
  }

  /** A block with at least so many points: one that was read before it grew is read again. */
  async #block(id: number, points: number): Promise<Float64Array> {
    const known = this.#blocks.get(id);
    this.#blocks.delete(id);
    const block =
      known && known.length >= 2 * points ? known : await readBlockPoints(this.#db, this.#gameId, id);
    this.#blocks.set(id, block);
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= MAX_CACHED_BLOCKS) break;
      this.#blocks.delete(oldest);
    }
    return block;
  }
}

const formatLocationKey = (seq: number, room: string) => `${seq} ${room}`;
