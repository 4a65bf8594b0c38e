/** Keeps counted grids, so that a heatmap that is asked for again reads what has come since, and counts the same. */
import type { HeatmapRoom } from "../../contract/heatmaps.ts";
import type { JsonText } from "../core/responses.ts";
import type { Db } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import {
  addBlock,
  addChunk,
  createCellCounts,
  type HeatmapBounds,
  type PointCounts,
  toHeatmapRoom,
} from "./heatmap.ts";
import {
  type ChunkId,
  findRoomBlocks,
  findRoomChunks,
  type PositionFilter,
  type RoomPositions,
  streamBlockPoints,
  streamChunkPoints,
} from "./queries.ts";

/** The running service as heatmaps see it. */
export interface PositionsService extends Service {
  readonly heatmapCache: HeatmapCache;
}

/** What has been counted of a room's blocks: of each as many points from its start. */
interface CountedBlocks {
  readonly counts: PointCounts;
  readonly points: number;
  readonly pointsById: ReadonlyMap<number, number>;
}

/** What has been counted of the chunks that were in no block. */
interface CountedChunks {
  readonly counts: PointCounts;
  readonly points: number;
  readonly names: ReadonlySet<string>;
}

/** A room of a heatmap as it was at one state of the database. Never changed: requests at once may start from the same. */
interface CountedRoom {
  readonly bounds: HeatmapBounds;
  readonly blocks: CountedBlocks;
  readonly chunks: CountedChunks;
  readonly json: JsonText<HeatmapRoom>;
}

/** How many rooms are kept: some 40 kB each. */
const MAX_CACHED_ROOMS = 500;

/**
 * The grids last asked for, by game, filter and room. What is stored now is told by the database, in the transaction of
 * the request: any server may have written it.
 */
export class HeatmapCache {
  readonly #kept = new Map<string, CountedRoom>();

  /** A room as the API gives it, at the state that `db` sees, which is where `room` must come from. */
  async room(db: Db, filter: PositionFilter, room: RoomPositions): Promise<JsonText<HeatmapRoom>> {
    const key = JSON.stringify([filter.gameId, filter.build ?? null, filter.env ?? null, room.room]);
    const known = this.#kept.get(key);
    const counted = await countRoom(db, filter, room, known && canExtend(known, room) ? known : null);
    this.#kept.delete(key);
    this.#kept.set(key, counted);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_CACHED_ROOMS) break;
      this.#kept.delete(oldest);
    }
    return counted.json;
  }
}

/** Whether what was counted is part of what is stored: not where a request that began earlier comes second. */
function canExtend({ bounds, blocks, chunks }: CountedRoom, room: RoomPositions): boolean {
  const { xMin, xMax, yMin, yMax, inBlocks, points } = room;
  const isLater =
    inBlocks > blocks.points || (inBlocks === blocks.points && points - inBlocks >= chunks.points);
  const { xMin: left, xMax: right, yMin: low, yMax: high } = bounds;
  return isLater && left === xMin && right === xMax && low === yMin && high === yMax;
}

async function countRoom(
  db: Db,
  filter: PositionFilter,
  room: RoomPositions,
  known: CountedRoom | null,
): Promise<CountedRoom> {
  const sameBlocks = known?.blocks.points === room.inBlocks;
  const inChunks = room.points - room.inBlocks;
  if (known && sameBlocks && known.chunks.points === inChunks) return known;
  const blocks = known && sameBlocks ? known.blocks : await countBlocks(db, filter, room, known?.blocks);
  // Where blocks have grown, chunks are gone.
  const chunks = await countChunks(db, filter, room, known && sameBlocks ? known.chunks : null);
  const { xMin, xMax, yMin, yMax } = room;
  const counts = blocks.counts.map((points, cell) => points + (chunks.counts[cell] ?? 0));
  return { bounds: { xMin, xMax, yMin, yMax }, blocks, chunks, json: toHeatmapRoom(room, counts) };
}

async function countBlocks(
  db: Db,
  filter: PositionFilter,
  room: RoomPositions,
  known: CountedBlocks | undefined,
): Promise<CountedBlocks> {
  const stored = await findRoomBlocks(db, filter, room.room);
  const pointsById = new Map(stored.map(({ id, points }) => [id, points]));
  const counts = known?.counts.slice() ?? createCellCounts();
  const grown = stored.filter(({ id, points }) => known?.pointsById.get(id) !== points).map(({ id }) => id);
  for await (const { id, xy } of streamBlockPoints(db, filter.gameId, grown)) {
    const before = known?.pointsById.get(id) ?? 0;
    addBlock(counts, room, xy, before);
  }
  const points = stored.reduce((sum, block) => sum + block.points, 0);
  return { counts, points, pointsById };
}

const formatChunkId = ({ session_id, seq }: ChunkId) => `${session_id} ${seq}`;

/** From so many sessions on, a room's chunks are all read: they are few. */
const MAX_SESSION_READS = 50;

async function countChunks(
  db: Db,
  filter: PositionFilter,
  room: RoomPositions,
  known: CountedChunks | null,
): Promise<CountedChunks> {
  const counts = known?.counts.slice() ?? createCellCounts();
  const names = new Set(known?.names);
  const fresh = known
    ? (await findRoomChunks(db, filter, room.room)).filter((id) => !names.has(formatChunkId(id)))
    : [];
  const sessions = [...new Set(fresh.map(({ session_id }) => session_id))];
  const some = known && sessions.length <= MAX_SESSION_READS ? sessions : null;
  let points = known?.points ?? 0;
  for await (const { xy, ...id } of streamChunkPoints(db, filter, room.room, some)) {
    if (names.has(formatChunkId(id))) continue;
    names.add(formatChunkId(id));
    addChunk(counts, room, xy);
    points += xy.length / 2;
  }
  return { counts, points, names };
}
