/** Bins positions into a grid. All arithmetic uses doubles, so that anyone can recompute the same cells. */
import { GRID, type HeatmapRoom } from "../../contract/heatmaps.ts";
import { type JsonText, jsonList, jsonObject } from "../core/responses.ts";
import type { RoomExtent } from "./points.ts";

/** The bounds of a room's positions, in world units. */
export type HeatmapBounds = Pick<RoomExtent, "xMin" | "xMax" | "yMin" | "yMax">;

/** Bounds that leave out some points, which no cell counts. */
export interface CroppedBounds extends HeatmapBounds {
  readonly isCropped?: boolean;
}

/** Points per cell, ordered by y, then x. */
export type PointCounts = Uint32Array<ArrayBuffer>;

export const createCellCounts = (): PointCounts => new Uint32Array(GRID.cellsX * GRID.cellsY);

/** Counts the points of a chunk: every x, then every y. */
export function addChunk(counts: PointCounts, bounds: CroppedBounds, points: Float64Array): void {
  const n = points.length / 2;
  addPoints(counts, bounds, points, { first: 0, gap: n, step: 1 }, n);
}

/** Counts points whose x and y are interleaved, as in a block, except the first `skip` points. */
export function addBlock(
  counts: PointCounts,
  bounds: CroppedBounds,
  points: Float64Array,
  skip: number,
): void {
  addPoints(counts, bounds, points, { first: 2 * skip, gap: 1, step: 2 }, points.length / 2 - skip);
}

/** The layout of points in an array of doubles. */
interface PointLayout {
  /** Index of the first x. */
  readonly first: number;
  /** Offset from an x to its y. */
  readonly gap: number;
  /** Offset from an x to the next x. */
  readonly step: number;
}

/**
 * Counts `n` points. If the extent is 0, all points are in cell 0 (0/0 becomes 0). If the extent is too large for a double,
 * all values are halved first.
 */
function addPoints(
  counts: PointCounts,
  { xMin, xMax, yMin, yMax, isCropped = false }: CroppedBounds,
  points: Float64Array,
  { first, gap, step }: PointLayout,
  n: number,
): void {
  const xScale = xMax - xMin === Infinity ? 0.5 : 1;
  const yScale = yMax - yMin === Infinity ? 0.5 : 1;
  const [left, low] = [xMin * xScale, yMin * yScale];
  const [width, height] = [xMax * xScale - left, yMax * yScale - low];
  const end = first + n * step;
  for (let index = first; index < end; index += step) {
    if (isCropped) {
      const [px, py] = [points[index] ?? 0, points[index + gap] ?? 0];
      if (px < xMin || px > xMax || py < yMin || py > yMax) continue;
    }
    // The values are never negative, so dropping the fraction rounds down.
    const x = ((((points[index] ?? 0) * xScale - left) / width) * GRID.cellsX) | 0;
    const y = ((((points[index + gap] ?? 0) * yScale - low) / height) * GRID.cellsY) | 0;
    const cell = Math.min(GRID.cellsY - 1, y) * GRID.cellsX + Math.min(GRID.cellsX - 1, x);
    counts[cell] = (counts[cell] ?? 0) + 1;
  }
}

/** Positions of a room that are not in its picture, because of its plane or floor. Absent fields are not shown. */
export interface LeftOut {
  readonly withoutZ: number;
  readonly otherFloors: number;
}

/** The part of each cell's JSON that does not depend on its count. */
const cellPrefixes = Array.from({ length: GRID.cellsX * GRID.cellsY }, (_, cell) => {
  const [x, y] = [cell % GRID.cellsX, Math.floor(cell / GRID.cellsX)];
  return `{"x":${x},"y":${y},"intensity":`;
});

/**
 * Formats a room as the API shows it: only cells with points, ordered by y, then x. The intensity of a cell is
 * log(1 + count) divided by that of the densest cell.
 */
export function toHeatmapRoom(
  extent: Pick<RoomExtent, "room" | "points"> & CroppedBounds & Partial<LeftOut>,
  counts: PointCounts,
): JsonText<HeatmapRoom> {
  const { room, points: totalEvents, xMin, xMax, yMin, yMax, isCropped, withoutZ, otherFloors } = extent;
  const maxLog = Math.log(1 + Math.max(...counts));
  // Many cells have the same count, and formatting a double is slow.
  const intensities = new Map<number, string>();
  const cells: string[] = [];
  for (const [cell, count] of counts.entries()) {
    if (count === 0) continue;
    let intensity = intensities.get(count);
    if (intensity === undefined) {
      intensity = String(Math.log(1 + count) / maxLog);
      intensities.set(count, intensity);
    }
    // Concatenated instead of JSON.stringify for speed. Cells contain only numbers.
    cells.push(`${cellPrefixes[cell]}${intensity}}`);
  }
  const bounds = { xMin, xMax, yMin, yMax };
  const { cellsX, cellsY } = GRID;
  const outside = totalEvents - counts.reduce((sum, count) => sum + count, 0);
  return jsonObject<HeatmapRoom>({
    ...{ room, cellsX, cellsY, cells: jsonList(cells), totalEvents, bounds },
    ...(isCropped ? { outside } : {}),
    ...(withoutZ === undefined ? {} : { withoutZ }),
    ...(otherFloors === undefined ? {} : { otherFloors }),
  });
}
