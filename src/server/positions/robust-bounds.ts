/**
 * Bounds that depend on all positions of a room: without outliers, such as a player who fell out of the world, or of those that
 * are in the plane and on the floor of a picture.
 */
import type { BoundsChoice } from "../../contract/heatmaps.ts";
import { cropRange } from "../../shared/robust-range.ts";
import type { Db } from "../db/schema.ts";
import type { CroppedBounds } from "./heatmap.ts";
import { measureRange, type Points } from "./points.ts";
import {
  findRoomBlocks,
  type PositionFilter,
  type RoomPositions,
  streamBlockPoints,
  streamChunkPoints,
} from "./position-queries.ts";
import { isAsSent, type PointLayout, type Projection, projectPoints } from "./projection.ts";

/** About the number of positions whose quantiles are found, spread evenly over all of them. */
const SAMPLE = 65_536;

/** How a room is drawn. */
export interface RoomDrawing {
  readonly bounds: BoundsChoice;
  readonly projection: Projection | null;
}

/** The bounds of a picture, and the positions that it is about. */
export interface MeasuredRoom extends CroppedBounds {
  /** The number of positions in the plane and on the floor. */
  readonly drawn: number;
  /** The number of positions without a z, which such a picture cannot have. */
  readonly withoutZ: number;
  readonly otherFloors: number;
}

/** Measures the positions of a room, on each axis without outliers if these would squeeze the others. */
export async function measureRoom(
  db: Db,
  filter: PositionFilter,
  room: RoomPositions,
  { bounds, projection }: RoomDrawing,
): Promise<MeasuredRoom> {
  const measure = new Measure(projection, Math.ceil(room.points / SAMPLE));
  // Without any z, none of the positions is in such a picture.
  if (isAsSent(projection) || room.zMin !== null) await readPoints(db, filter, room, measure);
  const { drawn, withoutZ, otherFloors } = measure;
  const all = { drawn, withoutZ: room.zMin === null ? room.points - drawn : withoutZ, otherFloors };
  const { xMin, xMax, yMin, yMax } = isAsSent(projection) ? room : measure.range();
  if (bounds === "full") return { ...all, ...{ xMin, xMax, yMin, yMax } };
  const [x, y] = [cropRange(measure.xs, [xMin, xMax]), cropRange(measure.ys, [yMin, yMax])];
  if (x === null && y === null) return { ...all, ...{ xMin, xMax, yMin, yMax } };
  const [left, right] = x ?? [xMin, xMax];
  const [low, high] = y ?? [yMin, yMax];
  return { ...all, ...{ xMin: left, xMax: right, yMin: low, yMax: high }, isCropped: true };
}

/** Reads the positions of a room in the order in which they are stored. */
async function readPoints(
  db: Db,
  filter: PositionFilter,
  { room }: RoomPositions,
  measure: Measure,
): Promise<void> {
  const blocks = await findRoomBlocks(db, filter, room);
  const ids = blocks.map(({ id }) => id);
  for await (const points of streamBlockPoints(db, filter.gameId, ids)) measure.add(points, "block");
  for await (const points of streamChunkPoints(db, filter, room, null)) measure.add(points, "chunk");
}

/** Measures points, and keeps a sample of them. */
class Measure {
  readonly xs: number[] = [];
  readonly ys: number[] = [];
  drawn = 0;
  withoutZ = 0;
  otherFloors = 0;
  readonly #projection: Projection;
  readonly #stride: number;
  readonly #ranges: number[] = [];

  constructor(projection: Projection | null, stride: number) {
    this.#projection = projection ?? { plane: "xy", from: "request", floor: null, floors: 0 };
    this.#stride = stride;
  }

  add(points: Points, layout: PointLayout): void {
    const { pairs, withoutZ, otherFloors } = projectPoints(points, layout, this.#projection);
    this.withoutZ += withoutZ;
    this.otherFloors += otherFloors;
    let [xMin, xMax, yMin, yMax] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let index = 0; index < pairs.length; index += 2, this.drawn += 1) {
      const [x, y] = [pairs[index] ?? 0, pairs[index + 1] ?? 0];
      [xMin, xMax] = [Math.min(xMin, x), Math.max(xMax, x)];
      [yMin, yMax] = [Math.min(yMin, y), Math.max(yMax, y)];
      if (this.drawn % this.#stride !== 0) continue;
      this.xs.push(x);
      this.ys.push(y);
    }
    if (pairs.length > 0) this.#ranges.push(xMin, xMax, yMin, yMax);
  }

  /** The bounds of all points; 0 without any. */
  range(): CroppedBounds {
    const pick = (offset: number) => this.#ranges.filter((_, index) => index % 4 === offset);
    if (this.#ranges.length === 0) return { xMin: 0, xMax: 0, yMin: 0, yMax: 0 };
    const [xMin, xMax] = [measureRange(pick(0))[0], measureRange(pick(1))[1]];
    const [yMin, yMax] = [measureRange(pick(2))[0], measureRange(pick(3))[1]];
    return { xMin, xMax, yMin, yMax };
  }
}
