/**
 * Caches grids of heatmaps, so that a repeated request only reads positions that are new, or nothing if outliers are left out and
 * nothing is new. The result is the same.
 */
import type { HeatmapRoom } from "../../contract/heatmaps.ts";
import type { JsonText } from "../core/responses.ts";
import type { Db, GameRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import {
  addBlock,
  addChunk,
  type CroppedBounds,
  createCellCounts,
  type LeftOut,
  type PointCounts,
  toHeatmapRoom,
} from "./heatmap.ts";
import type { Points } from "./points.ts";
import {
  type ChunkId,
  findRoomBlocks,
  findRoomChunks,
  type PositionFilter,
  type RoomPositions,
  streamBlockPoints,
  streamChunkPoints,
} from "./position-queries.ts";
import { isAsSent, type PointLayout, type Projection, projectPoints } from "./projection.ts";
import { measureRoom, type RoomDrawing } from "./robust-bounds.ts";

/** The running service as heatmaps see it. */
export interface PositionsService extends Service {
  readonly heatmapCache: HeatmapCache;
}

/** The counts of a room's blocks. */
interface CountedBlocks {
  readonly counts: PointCounts;
  readonly points: number;
  /** How many points of each block were counted, from its start. */
  readonly pointsById: ReadonlyMap<number, number>;
}

/** The counts of a room's chunks, which are not in a block yet. */
interface CountedChunks {
  readonly counts: PointCounts;
  readonly points: number;
  /** The chunks that were counted, as `formatChunkId` names them. */
  readonly ids: ReadonlySet<string>;
}

/** A room of a heatmap at one state of the database. Immutable, because concurrent requests may extend the same one. */
interface CountedRoom {
  readonly bounds: CroppedBounds;
  readonly blocks: CountedBlocks;
  readonly chunks: CountedChunks;
  readonly json: JsonText<HeatmapRoom>;
}

/** The picture of the API document: x and y as they were sent, in the bounds of all positions. */
const AS_SENT: RoomDrawing = { bounds: "full", projection: null };

/** A room with the bounds of its picture, and how it is drawn. */
export type DrawnRoom = RoomPositions &
  CroppedBounds &
  Partial<LeftOut> & {
    readonly projection?: Projection | null;
    /** The number of positions in the plane and on the floor, if not all. */
    readonly drawn?: number;
  };

/** Maximum number of cached rooms, about 40 kB each. */
const MAX_CACHED_ROOMS = 500;

/**
 * The most recently requested grids, by game, filter and room. Every request compares them with the database in its own
 * transaction, because another server may have stored positions.
 */
export class HeatmapCache {
  readonly #rooms = new Map<string, CountedRoom>();

  /**
   * Counts a room. `room` and `game` must have been read in the same transaction as `db`. What was
   * counted before a deletion of the game is not used after it.
   */
  async room(
    db: Db,
    game: Pick<GameRow, "deletions">,
    filter: PositionFilter,
    room: RoomPositions,
    drawing: RoomDrawing = AS_SENT,
  ): Promise<CountedRoom> {
    const { gameId, event, source = null, build = null, env = null, player = null } = filter;
    const { plane, floor } = drawing.projection ?? { plane: "xy", floor: null };
    const selected = [gameId, game.deletions, event, source, build, env, player, room.room];
    const key = JSON.stringify([...selected, drawing.bounds, plane, floor]);
    const cached = this.#rooms.get(key) ?? null;
    const counted =
      drawing.bounds === "full" && isAsSent(drawing.projection)
        ? await countRoom(db, filter, room, cached && canExtend(cached, room) ? cached : null)
        : await countMeasured(db, filter, room, drawing, cached);
    this.#rooms.delete(key);
    this.#rooms.set(key, counted);
    for (const oldest of this.#rooms.keys()) {
      if (this.#rooms.size <= MAX_CACHED_ROOMS) break;
      this.#rooms.delete(oldest);
    }
    return counted;
  }
}

/** Whether the cached counts only cover stored positions. A request with an older snapshot may find newer counts. */
function canExtend({ bounds, blocks, chunks }: CountedRoom, room: RoomPositions): boolean {
  const { xMin, xMax, yMin, yMax, inBlocks, points } = room;
  const isLater =
    inBlocks > blocks.points || (inBlocks === blocks.points && points - inBlocks >= chunks.points);
  const { xMin: left, xMax: right, yMin: low, yMax: high } = bounds;
  return isLater && left === xMin && right === xMax && low === yMin && high === yMax;
}

/**
 * Counts a room without outliers, or in a plane. The bounds may change with every position, so the counts are only used as long as
 * nothing is new.
 */
async function countMeasured(
  db: Db,
  filter: PositionFilter,
  room: RoomPositions,
  drawing: RoomDrawing,
  cached: CountedRoom | null,
): Promise<CountedRoom> {
  const isSame =
    cached?.blocks.points === room.inBlocks && cached.chunks.points === room.points - room.inBlocks;
  if (cached && isSame) return cached;
  const { withoutZ, otherFloors, ...measured } = await measureRoom(db, filter, room, drawing);
  const { projection } = drawing;
  const leftOut = isAsSent(projection) ? {} : { withoutZ, otherFloors };
  return await countRoom(db, filter, { ...room, ...measured, ...leftOut, projection }, null);
}

/** Counts the positions of a room from the database. `cached` has a part of them, with the same bounds. */
export async function countRoom(
  db: Db,
  filter: PositionFilter,
  room: DrawnRoom,
  cached: CountedRoom | null,
): Promise<CountedRoom> {
  const sameBlocks = cached?.blocks.points === room.inBlocks;
  const inChunks = room.points - room.inBlocks;
  if (cached && sameBlocks && cached.chunks.points === inChunks) return cached;
  const blocks = cached && sameBlocks ? cached.blocks : await countBlocks(db, filter, room, cached?.blocks);
  // If blocks have grown, their chunks are gone, so the remaining chunks must be counted again.
  const chunks = await countChunks(db, filter, room, cached && sameBlocks ? cached.chunks : null);
  const { xMin, xMax, yMin, yMax, isCropped = false, drawn = room.points } = room;
  const counts = blocks.counts.map((points, cell) => points + (chunks.counts[cell] ?? 0));
  const json = toHeatmapRoom({ ...room, points: drawn }, counts);
  return { bounds: { xMin, xMax, yMin, yMax, isCropped }, blocks, chunks, json };
}

async function countBlocks(
  db: Db,
  filter: PositionFilter,
  room: DrawnRoom,
  cached: CountedBlocks | undefined,
): Promise<CountedBlocks> {
  const stored = await findRoomBlocks(db, filter, room.room);
  const pointsById = new Map(stored.map(({ id, points }) => [id, points]));
  const counts = cached?.counts.slice() ?? createCellCounts();
  const grown = stored.filter(({ id, points }) => cached?.pointsById.get(id) !== points).map(({ id }) => id);
  for await (const { id, ...points } of streamBlockPoints(db, filter.gameId, grown)) {
    const countedPoints = cached?.pointsById.get(id) ?? 0;
    if (!addProjected(counts, room, points, "block")) addBlock(counts, room, points.xy, countedPoints);
  }
  const points = stored.reduce((sum, block) => sum + block.points, 0);
  return { counts, points, pointsById };
}

/** Counts points in a plane or on a floor. Returns false if the room is drawn by x and y as they were sent. */
function addProjected(counts: PointCounts, room: DrawnRoom, points: Points, layout: PointLayout): boolean {
  const { projection = null } = room;
  if (projection === null || isAsSent(projection)) return false;
  addBlock(counts, room, projectPoints(points, layout, projection).pairs, 0);
  return true;
}

const formatChunkId = ({ session_id, seq, player }: ChunkId) => `${session_id} ${seq} ${player}`;

/** With more new sessions than this, all chunks of the room are read in one query. */
const MAX_SESSION_READS = 50;

async function countChunks(
  db: Db,
  filter: PositionFilter,
  room: DrawnRoom,
  cached: CountedChunks | null,
): Promise<CountedChunks> {
  const counts = cached?.counts.slice() ?? createCellCounts();
  const ids = new Set(cached?.ids);
  const fresh = cached
    ? (await findRoomChunks(db, filter, room.room)).filter((id) => !ids.has(formatChunkId(id)))
    : [];
  const sessions = [...new Set(fresh.map(({ session_id }) => session_id))];
  const selected = cached && sessions.length <= MAX_SESSION_READS ? sessions : null;
  let points = cached?.points ?? 0;
  for await (const { xy, z, ...id } of streamChunkPoints(db, filter, room.room, selected)) {
    if (ids.has(formatChunkId(id))) continue;
    ids.add(formatChunkId(id));
    if (!addProjected(counts, room, { xy, z }, "chunk")) addChunk(counts, room, xy);
    points += xy.length / 2;
  }
  return { counts, points, ids };
}
