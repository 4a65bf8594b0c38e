/** A room's positions as a grid of counts, of a size that can be drawn. */
import type { HeatmapRoom } from "../contract/heatmaps.ts";
import { recoverCounts } from "./counts.ts";
import type { RoomBounds } from "./heatmap-view.ts";

/** Columns and rows of a picture at most; a larger grid is merged, for a service may tell of any. */
export const MAX_CELLS = 128;

export interface Grid {
  readonly bounds: RoomBounds;
  readonly cellsX: number;
  readonly cellsY: number;
  /** Positions by cell, `y * cellsX + x`; 0 where nobody was. */
  readonly counts: readonly number[];
  /** Whether the counts are those that were counted (see `recoverCounts`), and each cell lay in the grid. */
  readonly exact: boolean;
}

/** The room's counts by cell. Cells outside the grid that the room tells of are left out. */
export function countGrid(room: HeatmapRoom): Grid {
  const recovered = recoverCounts(room);
  const cellsX = Math.min(room.cellsX, MAX_CELLS);
  const cellsY = Math.min(room.cellsY, MAX_CELLS);
  const counts = new Array<number>(cellsX * cellsY).fill(0);
  let outside = false;
  for (const [index, { x, y }] of room.cells.entries()) {
    if (x >= room.cellsX || y >= room.cellsY) {
      outside = true;
      continue;
    }
    const at = toCellIndex(x, y, room, { cellsX, cellsY });
    counts[at] = (counts[at] ?? 0) + (recovered.counts[index] ?? 0);
  }
  return { bounds: room.bounds, cellsX, cellsY, counts, exact: recovered.exact && !outside };
}

/** The intensities of the grid's cells: the service's own, or by its formula where cells were merged. */
export function densityValues(room: HeatmapRoom, grid: Grid): Array<number | null> {
  const whole = grid.cellsX === room.cellsX && grid.cellsY === room.cellsY;
  const most = Math.log1p(grid.counts.reduce((largest, count) => Math.max(largest, count), 0));
  const values = grid.counts.map((count) => (count === 0 ? null : Math.log1p(count) / most));
  if (!whole) return values;
  for (const { x, y, intensity } of room.cells) {
    if (x < room.cellsX && y < room.cellsY) values[toCellIndex(x, y, room, grid)] = intensity;
  }
  return values;
}

function toCellIndex(x: number, y: number, from: GridSize, to: GridSize): number {
  const column = Math.floor((x * to.cellsX) / from.cellsX);
  const row = Math.floor((y * to.cellsY) / from.cellsY);
  return row * to.cellsX + column;
}

type GridSize = Pick<Grid, "cellsX" | "cellsY">;
