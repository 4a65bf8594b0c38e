/** Reads the positions of batches of several sessions with a few queries, from chunks and from blocks. */
import { DamagedData } from "../core/stored-data.ts";
import type { Db, PositionSliceRow } from "../db/schema.ts";
import { findSlices, readBlocks } from "./block-queries.ts";
import { readBatchChunks } from "./chunk-queries.ts";
import { formatPlayerRoom, type PlayerRoom, type Points, slicePoints, unpackPoints } from "./points.ts";
import { type ChunkLocation, formatLocationKey, locateChunks } from "./session-positions.ts";

/** A batch whose positions are read. */
interface PositionedBatch {
  readonly session_id: string;
  readonly seq: number;
  /** The rooms of its player positions, for each player. */
  readonly rooms: readonly PlayerRoom[];
}

/**
 * The points of a batch in the layout of a chunk, by room and player (`formatPlayerRoom`). Those whose points are missing or
 * damaged are absent.
 */
export type RoomPoints = Map<string, Points>;

const BLOCKS_PER_QUERY = 8;
/** Maximum number of cached blocks, about 500 kB each. Batches that arrived together are in few blocks. */
const MAX_CACHED_BLOCKS = 32;

/** A chunk that was moved into a block. */
interface MovedChunk extends ChunkLocation {
  readonly key: string;
  readonly points: number;
  readonly target: RoomPoints;
}

export class BatchPositions {
  readonly #db: Db;
  readonly #gameId: string;
  readonly #locations = new Map<string, ReadonlyMap<string, ChunkLocation>>();
  readonly #blocks = new Map<number, Points>();

  /** All reads must be in one transaction: compaction may move chunks between two of them otherwise. */
  constructor(db: Db, gameId: string) {
    this.#db = db;
    this.#gameId = gameId;
  }

  /** Reads the points of each batch, in the given order. */
  async read(batches: readonly PositionedBatch[]): Promise<RoomPoints[]> {
    const results = batches.map((): RoomPoints => new Map());
    const positioned = batches.flatMap((batch, index) => {
      const target = results[index];
      return target && batch.rooms.length > 0 ? [{ ...batch, target }] : [];
    });
    if (positioned.length === 0) return results;
    const targets = new Map(positioned.map((batch) => [formatBatchKey(batch), batch.target]));
    for (const chunk of await readBatchChunks(this.#db, this.#gameId, positioned))
      addPoints(targets.get(formatBatchKey(chunk)), formatPlayerRoom(chunk), () => unpackPoints(chunk));
    const moved = positioned.filter(({ rooms, target }) =>
      rooms.some((room) => !target.has(formatPlayerRoom(room))),
    );
    if (moved.length > 0) await this.#readMoved(moved);
    return results;
  }

  async #readMoved(batches: readonly (PositionedBatch & { readonly target: RoomPoints })[]): Promise<void> {
    await this.#locate(new Set(batches.map(({ session_id }) => session_id)));
    const byBlock = new Map<number, MovedChunk[]>();
    for (const { session_id, seq, rooms, target } of batches) {
      for (const room of rooms) {
        const key = formatPlayerRoom(room);
        const location = this.#locations.get(session_id)?.get(formatLocationKey(seq, room));
        if (target.has(key) || !location) continue;
        const chunks = byBlock.get(location.block) ?? [];
        byBlock.set(location.block, chunks);
        chunks.push({ ...location, key, target });
      }
    }
    const ids = [...byBlock.keys()].sort((a, b) => Number(this.#blocks.has(b)) - Number(this.#blocks.has(a)));
    for (let start = 0; start < ids.length; start += BLOCKS_PER_QUERY) {
      const group = ids.slice(start, start + BLOCKS_PER_QUERY);
      await this.#loadBlocks(group);
      for (const id of group) {
        const block = this.#blocks.get(id);
        for (const { key, start: from, points, target } of byBlock.get(id) ?? [])
          if (block) addPoints(target, key, () => slicePoints(block, from, points));
      }
    }
  }

  /** Finds where the chunks of sessions were moved. A session with damaged slices has no positions. */
  async #locate(sessionIds: ReadonlySet<string>): Promise<void> {
    const unknown = [...sessionIds].filter((id) => !this.#locations.has(id));
    if (unknown.length === 0) return;
    const slices = await findSlices(this.#db, this.#gameId, unknown);
    const bySession = new Map<string, PositionSliceRow[]>(unknown.map((id) => [id, []]));
    for (const slice of slices) bySession.get(slice.session_id)?.push(slice);
    for (const [id, own] of bySession)
      this.#locations.set(id, ignoreDamage(() => locateChunks(own)) ?? new Map());
  }

  async #loadBlocks(ids: readonly number[]): Promise<void> {
    const missing = ids.filter((id) => !this.#blocks.has(id));
    const cached = ids.flatMap((id) => {
      const block = this.#blocks.get(id);
      return block ? [[id, block] as const] : [];
    });
    for (const [id, block] of cached) {
      this.#blocks.delete(id);
      this.#blocks.set(id, block);
    }
    if (missing.length === 0) return;
    for (const block of await readBlocks(this.#db, this.#gameId, missing)) {
      const points = ignoreDamage(() => unpackPoints(block));
      if (points !== null) this.#blocks.set(block.id, points);
    }
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= MAX_CACHED_BLOCKS) break;
      this.#blocks.delete(oldest);
    }
  }
}

function addPoints(target: RoomPoints | undefined, key: string, read: () => Points): void {
  const points = ignoreDamage(read);
  if (points !== null) target?.set(key, points);
}

function ignoreDamage<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedData) return null;
    throw error;
  }
}

const formatBatchKey = ({ session_id, seq }: Pick<PositionedBatch, "session_id" | "seq">) =>
  `${seq} ${session_id}`;
