/** Points as they are stored: packed float64 columns in chunks, interleaved pairs in blocks. */
/** Two columns of doubles as bytes: every x, then every y, little-endian. */
export function packPoints(xs: readonly number[], ys: readonly number[]): Uint8Array {
  const columns = new Float64Array(xs.length * 2);
  columns.set(xs, 0);
  columns.set(ys, xs.length);
  return new Uint8Array(columns.buffer);
}

/** The doubles of packed points: n of x, then n of y. */
export function unpackPoints(bytes: Uint8Array): Float64Array {
  if (bytes.byteOffset % 8 === 0)
    return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
  // A copy by hand: the `slice` of a Buffer copies nothing.
  return new Float64Array(new Uint8Array(bytes).buffer);
}

/** Packed points one behind the other, as a block holds them: x and y of each in turn. */
export function joinPoints(block: Uint8Array, packed: readonly Uint8Array[]): Uint8Array {
  const before = unpackPoints(block);
  const joined = new Float64Array(packed.reduce((sum, bytes) => sum + bytes.byteLength / 8, before.length));
  joined.set(before);
  let next = before.length;
  for (const points of packed.map(unpackPoints)) {
    const n = points.length / 2;
    for (let at = 0; at < n; at += 1) {
      joined[next++] = points[at] ?? 0;
      joined[next++] = points[n + at] ?? 0;
    }
  }
  return new Uint8Array(joined.buffer);
}

/** Some points of a block, from one on, as they were packed: n of x, then n of y. */
export function slicePoints(block: Float64Array, start: number, n: number): Float64Array {
  const points = new Float64Array(2 * n);
  for (let at = 0; at < n; at += 1) {
    points[at] = block[2 * (start + at)] ?? 0;
    points[n + at] = block[2 * (start + at) + 1] ?? 0;
  }
  return points;
}

/** How many positions a room has and where they end, in world units. */
export interface RoomExtent {
  readonly room: string;
  readonly points: number;
  readonly xMin: number;
  readonly xMax: number;
  readonly yMin: number;
  readonly yMax: number;
}

/** The positions of one room in a batch. */
export interface RoomPoints extends RoomExtent {
  /** Float64: every x, then every y. */
  readonly xy: Uint8Array;
}
