/** The binary formats of stored points: float64 columns in chunks, interleaved pairs in blocks. */
import { DamagedData, readDoubles } from "../core/stored-data.ts";

/** Packs points as little-endian doubles: every x, then every y. */
export function packPoints(xs: ArrayLike<number>, ys: ArrayLike<number>): Uint8Array {
  const columns = new Float64Array(xs.length * 2);
  columns.set(xs, 0);
  columns.set(ys, xs.length);
  return new Uint8Array(columns.buffer);
}

/** Bytes of a stored point: two doubles. */
export const BYTES_PER_POINT = 16;

/** The doubles of stored points, in the stored order. Throws DamagedData if a point is incomplete. */
export function unpackPoints(bytes: Uint8Array): Float64Array {
  if (bytes.byteLength % BYTES_PER_POINT !== 0) throw new DamagedData("Stored positions are incomplete");
  return readDoubles(bytes);
}

/** Appends the points of chunks to a block, where x and y of each point are interleaved. */
export function joinPoints(block: Uint8Array, chunks: readonly Uint8Array[]): Uint8Array {
  const existing = unpackPoints(block);
  const joined = new Float64Array(chunks.reduce((sum, bytes) => sum + bytes.byteLength / 8, existing.length));
  joined.set(existing);
  let next = existing.length;
  for (const points of chunks.map(unpackPoints)) {
    const n = points.length / 2;
    for (let index = 0; index < n; index += 1) {
      joined[next++] = points[index] ?? 0;
      joined[next++] = points[n + index] ?? 0;
    }
  }
  return new Uint8Array(joined.buffer);
}

/**
 * Copies `n` points of a block, from the point `start` on, into the layout of a chunk: every x, then every y. Throws
 * DamagedData if the block does not have them.
 */
export function slicePoints(block: Float64Array, start: number, n: number): Float64Array {
  if (start < 0 || 2 * (start + n) > block.length) throw new DamagedData("A block of positions is too short");
  const points = new Float64Array(2 * n);
  for (let index = 0; index < n; index += 1) {
    points[index] = block[2 * (start + index)] ?? 0;
    points[n + index] = block[2 * (start + index) + 1] ?? 0;
  }
  return points;
}

/** The number of positions in a room and their bounds, in world units. */
export interface RoomExtent {
  readonly room: string;
  readonly points: number;
  readonly xMin: number;
  readonly xMax: number;
  readonly yMin: number;
  readonly yMax: number;
}

/** The positions of one event in one room of a batch. */
export interface EventPoints extends RoomExtent {
  /** The name of the event. */
  readonly event: string;
  /** Float64: every x, then every y. */
  readonly xy: Uint8Array;
}

type Coordinates = Iterable<number> & ArrayLike<number>;

/** Packs the positions of one event in one room, and measures their bounds. */
export function toEventPoints(
  event: string,
  room: string,
  { xs, ys }: { readonly xs: Coordinates; readonly ys: Coordinates },
): EventPoints {
  let [xMin, xMax, yMin, yMax] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const x of xs) {
    if (x < xMin) xMin = x;
    if (x > xMax) xMax = x;
  }
  for (const y of ys) {
    if (y < yMin) yMin = y;
    if (y > yMax) yMax = y;
  }
  return { event, room, points: xs.length, xMin, xMax, yMin, yMax, xy: packPoints(xs, ys) };
}
