/** Bins positions into a grid: doubles throughout, so that a plain recomputation gives the same cells. */
import { GRID, type HeatmapRoom } from "../../contract/heatmaps.ts";
import { type JsonText, jsonList, jsonObject } from "../core/responses.ts";
import type { RoomExtent } from "./points.ts";

/** Where the positions of a room end, in world units. */
export type HeatmapBounds = Omit<RoomExtent, "room" | "points">;

/** Points by cell, by y, then x. */
export type PointCounts = Uint32Array<ArrayBuffer>;

export const createCellCounts = (): PointCounts => new Uint32Array(GRID.cellsX * GRID.cellsY);

/** Adds the points of a chunk: n of x, then n of y. */
export function addChunk(counts: PointCounts, bounds: HeatmapBounds, points: Float64Array): void {
  const n = points.length / 2;
  addPoints(counts, bounds, points, { first: 0, gap: n, step: 1 }, n);
}

/** Adds the points of a block behind the first `before`: x and y of each in turn. */
export function addBlock(
  counts: PointCounts,
  bounds: HeatmapBounds,
  points: Float64Array,
  before: number,
): void {
  addPoints(counts, bounds, points, { first: 2 * before, gap: 1, step: 2 }, points.length / 2 - before);
}

/** How points lie in an array of doubles: the place of the first x, how far its y is behind it, and the next x. */
interface PointLayout {
  readonly first: number;
  readonly gap: number;
  readonly step: number;
}

/** Adds `n` points. An extent of 0 puts all into cell 0 (0/0 becomes 0); one beyond the doubles is halved first. */
function addPoints(
  counts: PointCounts,
  { xMin, xMax, yMin, yMax }: HeatmapBounds,
  points: Float64Array,
  { first, gap, step }: PointLayout,
  n: number,
): void {
  const xScale = xMax - xMin === Infinity ? 0.5 : 1;
  const yScale = yMax - yMin === Infinity ? 0.5 : 1;
  const [left, low] = [xMin * xScale, yMin * yScale];
  const [width, height] = [xMax * xScale - left, yMax * yScale - low];
  const end = first + n * step;
  for (let at = first; at < end; at += step) {
    // No share is negative, so dropping the fraction is rounding down.
    const x = ((((points[at] ?? 0) * xScale - left) / width) * GRID.cellsX) | 0;
    const y = ((((points[at + gap] ?? 0) * yScale - low) / height) * GRID.cellsY) | 0;
    const cell = Math.min(GRID.cellsY - 1, y) * GRID.cellsX + Math.min(GRID.cellsX - 1, x);
    counts[cell] = (counts[cell] ?? 0) + 1;
  }
}

/** What of a cell's JSON its place decides. */
const cellPrefixes = Array.from({ length: GRID.cellsX * GRID.cellsY }, (_, at) => {
  const [x, y] = [at % GRID.cellsX, Math.floor(at / GRID.cellsX)];
  return `{"x":${x},"y":${y},"intensity":`;
});

/** A room as the API gives it: cells with points only, by y, then x; the densest has intensity 1. */
export function toHeatmapRoom(extent: RoomExtent, counts: PointCounts): JsonText<HeatmapRoom> {
  const { room, points: totalEvents, xMin, xMax, yMin, yMax } = extent;
  const most = Math.log(1 + Math.max(...counts));
  // Many cells have the same count, and the text of a double takes long.
  const intensities = new Map<number, string>();
  const cells: string[] = [];
  for (const [at, count] of counts.entries()) {
    if (count === 0) continue;
    let intensity = intensities.get(count);
    if (intensity === undefined) {
      intensity = String(Math.log(1 + count) / most);
      intensities.set(count, intensity);
    }
    // Written by hand: there are many of them, and numbers are all they hold.
    cells.push(`${cellPrefixes[at]}${intensity}}`);
  }
  const bounds = { xMin, xMax, yMin, yMax };
  const { cellsX, cellsY } = GRID;
  return jsonObject<HeatmapRoom>({ room, cellsX, cellsY, cells: jsonList(cells), totalEvents, bounds });
}
