/** The binary formats of stored points: float64 columns in chunks, interleaved pairs in blocks, and the z of points that have one. */
import { DamagedData, readDoubles } from "../core/stored-data.ts";

/** The player of positions that name none. */
export const NO_PLAYER = "";

/** A room, and the player of a device whose positions in it are stored together. */
export interface PlayerRoom {
  readonly room: string;
  /** `NO_PLAYER` if the events name none. */
  readonly player: string;
}

/** Identifies a room and player within a batch. Neither name contains NUL. */
export const formatPlayerRoom = ({ room, player }: PlayerRoom): string =>
  player === NO_PLAYER ? room : `${room}\0${player}`;

/** Stored points. */
export interface PointBytes {
  /** Float64, little-endian: every x, then every y in a chunk; x and y of each point, interleaved, in a block. */
  readonly xy: Uint8Array;
  /** Float64: the z of each point, NaN for points without one; null if no point has one. */
  readonly z: Uint8Array | null;
}

/** The doubles of stored points, in the stored order. */
export interface Points {
  readonly xy: Float64Array;
  readonly z: Float64Array | null;
}

export const NO_POINTS: Points = { xy: new Float64Array(), z: null };

/** Packs points as little-endian doubles: every x, then every y. */
export function packPoints(xs: ArrayLike<number>, ys: ArrayLike<number>): Uint8Array {
  const columns = new Float64Array(xs.length * 2);
  columns.set(xs, 0);
  columns.set(ys, xs.length);
  return new Uint8Array(columns.buffer);
}

/** Bytes of a stored point: two doubles, and one more for z. */
export const BYTES_PER_POINT = 16;
export const BYTES_PER_Z = 8;

/** Whether stored points have as many bytes as their number takes. */
export function isIntact({ points, xy, z }: PointBytes & { readonly points: number }): boolean {
  return xy.byteLength === BYTES_PER_POINT * points && (z === null || z.byteLength === BYTES_PER_Z * points);
}

/** Decodes stored points. Throws DamagedData if a point is incomplete. */
export function unpackPoints({ xy, z }: PointBytes): Points {
  const isComplete =
    xy.byteLength % BYTES_PER_POINT === 0 &&
    (z === null || z.byteLength * BYTES_PER_POINT === xy.byteLength * BYTES_PER_Z);
  if (!isComplete) throw new DamagedData("Stored positions are incomplete");
  return { xy: readDoubles(xy), z: z && readDoubles(z) };
}

/** Appends the points of chunks to a block, where x and y of each point are interleaved. */
export function joinPoints(block: PointBytes, chunks: readonly PointBytes[]): PointBytes {
  const [existing, added] = [unpackPoints(block), chunks.map(unpackPoints)];
  const joined = new Float64Array(added.reduce((sum, { xy }) => sum + xy.length, existing.xy.length));
  joined.set(existing.xy);
  let next = existing.xy.length;
  for (const { xy } of added) {
    const n = xy.length / 2;
    for (let index = 0; index < n; index += 1) {
      joined[next++] = xy[index] ?? 0;
      joined[next++] = xy[n + index] ?? 0;
    }
  }
  return { xy: new Uint8Array(joined.buffer), z: joinHeights([existing, ...added], joined.length / 2) };
}

/** The z of all points, one after another; null if no point has one. */
function joinHeights(parts: readonly Points[], points: number): Uint8Array | null {
  if (parts.every(({ z }) => z === null)) return null;
  const joined = new Float64Array(points).fill(Number.NaN);
  let next = 0;
  for (const { xy, z } of parts) {
    if (z !== null) joined.set(z, next);
    next += xy.length / 2;
  }
  return new Uint8Array(joined.buffer);
}

/**
 * Copies `n` points of a block, from the point `start` on, into the layout of a chunk: every x, then every y. Throws
 * DamagedData if the block does not have them.
 */
export function slicePoints(block: Points, start: number, n: number): Points {
  if (start < 0 || 2 * (start + n) > block.xy.length)
    throw new DamagedData("A block of positions is too short");
  const xy = new Float64Array(2 * n);
  for (let index = 0; index < n; index += 1) {
    xy[index] = block.xy[2 * (start + index)] ?? 0;
    xy[n + index] = block.xy[2 * (start + index) + 1] ?? 0;
  }
  return { xy, z: block.z?.slice(start, start + n) ?? null };
}

/** The number of positions in a room and their bounds, in world units. */
export interface RoomExtent {
  readonly room: string;
  readonly points: number;
  readonly xMin: number;
  readonly xMax: number;
  readonly yMin: number;
  readonly yMax: number;
  /** Null if no position has a z. */
  readonly zMin: number | null;
  readonly zMax: number | null;
}

/** The positions of one event in one room of a batch, of one player. */
export interface EventPoints extends RoomExtent, PlayerRoom, PointBytes {
  readonly event: string;
}

type Coordinates = Iterable<number> & ArrayLike<number>;

/** Coordinates of points, one array for each axis. */
export interface PointColumns {
  readonly xs: Coordinates;
  readonly ys: Coordinates;
  /** NaN for points without a z; null if no point has one. */
  readonly zs: Coordinates | null;
}

/** Packs the positions of one event in one room, and measures their bounds. */
export function toEventPoints(
  event: string,
  { room, player }: PlayerRoom,
  { xs, ys, zs }: PointColumns,
): EventPoints {
  const [xMin, xMax] = measureRange(xs);
  const [yMin, yMax] = measureRange(ys);
  const [zMin, zMax] = measureHeights(zs);
  const z = zMin === null || zs === null ? null : new Uint8Array(Float64Array.from(zs).buffer);
  const extent = { points: xs.length, xMin, xMax, yMin, yMax, zMin, zMax };
  return { event, room, player, ...extent, xy: packPoints(xs, ys), z };
}

/** The smallest and the largest of these values. NaN is ignored. */
export function measureRange(values: Iterable<number>): [min: number, max: number] {
  let [min, max] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return [min, max];
}

/** The range of z; null twice if no point has one. */
export function measureHeights(zs: Iterable<number> | null): [min: number | null, max: number | null] {
  const [min, max] = zs === null ? [Infinity, -Infinity] : measureRange(zs);
  return min > max ? [null, null] : [min, max];
}
