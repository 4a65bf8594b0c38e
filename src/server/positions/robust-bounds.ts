/** Bounds of a room without outliers, such as a player who fell out of the world. */
import { cropRange } from "../../shared/robust-range.ts";
import type { Db } from "../db/schema.ts";
import type { CroppedBounds } from "./heatmap.ts";
import {
  findRoomBlocks,
  type PositionFilter,
  type RoomPositions,
  streamBlockPoints,
  streamChunkPoints,
} from "./position-queries.ts";

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
  const [x, y] = [cropRange(xs, [xMin, xMax]), cropRange(ys, [yMin, yMax])];
  if (x === null && y === null) return { xMin, xMax, yMin, yMax };
  const [left, right] = x ?? [xMin, xMax];
  const [low, high] = y ?? [yMin, yMax];
  return { xMin: left, xMax: right, yMin: low, yMax: high, isCropped: true };
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
