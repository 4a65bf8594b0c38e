/** Bounds of a room without outliers, such as a player who fell out of the world. */
import type { Db } from "../db/schema.ts";
import type { CroppedBounds } from "./heatmap.ts";
import {
  findRoomBlocks,
  type PositionFilter,
  type RoomPositions,
  streamBlockPoints,
  streamChunkPoints,
} from "./position-queries.ts";

/** The share of positions that may lie beyond each end of an axis. */
const TAIL = 0.005;
/** The space around the others, as a share of their extent. */
const MARGIN = 0.05;
/** Outliers squeeze a picture if all positions extend over this many times the space of the others. */
const SQUEEZE = 1.5;
/** About the number of positions whose quantiles are found, spread evenly over all of them. */
const SAMPLE = 65_536;

/** The bounds of a room's positions, on each axis without outliers if these would squeeze the others. */
export async function findRobustBounds(
  db: Db,
  filter: PositionFilter,
  room: RoomPositions,
): Promise<CroppedBounds> {
  const { xMin, xMax, yMin, yMax } = room;
  const { xs, ys } = await samplePoints(db, filter, room);
  const [x, y] = [crop(xs, [xMin, xMax]), crop(ys, [yMin, yMax])];
  if (x === null && y === null) return { xMin, xMax, yMin, yMax };
  const [left, right] = x ?? [xMin, xMax];
  const [low, high] = y ?? [yMin, yMax];
  return { xMin: left, xMax: right, yMin: low, yMax: high, isCropped: true };
}

type Range = readonly [min: number, max: number];

/** The range of most values, or null if all of them fit into a picture. */
export function crop(values: readonly number[], [min, max]: Range): Range | null {
  const sorted = Float64Array.from(values).sort();
  const last = sorted.length - 1;
  const [low, high] = [sorted[Math.ceil(last * TAIL)] ?? min, sorted[Math.floor(last * (1 - TAIL))] ?? max];
  const margin = MARGIN * (high - low);
  const range: Range = [Math.max(min, low - margin), Math.min(max, high + margin)];
  const isSqueezed = max / 2 - min / 2 > SQUEEZE * (range[1] / 2 - range[0] / 2);
  return high > low && isSqueezed ? range : null;
}

/** Some positions of a room, by the order in which they are stored. */
async function samplePoints(db: Db, filter: PositionFilter, { room, points }: RoomPositions) {
  const stride = Math.ceil(points / SAMPLE);
  const [xs, ys]: [number[], number[]] = [[], []];
  let at = 0;
  const add = (xy: Float64Array, first: number, gap: number, step: number) => {
    for (let n = 0; n < xy.length / 2; n += 1, at += 1) {
      if (at % stride !== 0) continue;
      xs.push(xy[first + n * step] ?? 0);
      ys.push(xy[first + n * step + gap] ?? 0);
    }
  };
  const blocks = await findRoomBlocks(db, filter, room);
  const ids = blocks.map(({ id }) => id);
  for await (const { xy } of streamBlockPoints(db, filter.gameId, ids)) add(xy, 0, 1, 2);
  for await (const { xy } of streamChunkPoints(db, filter, room, null)) add(xy, 0, xy.length / 2, 1);
  return { xs, ys };
}
