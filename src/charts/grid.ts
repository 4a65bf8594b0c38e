/** Converts a room to a grid of position counts that is small enough to draw. */
import type { HeatmapRoom } from "../contract/heatmaps.ts";
import { recoverCounts } from "./counts.ts";
import type { RoomBounds } from "./heatmap-view.ts";

/** Limit for columns and rows. Cells of larger grids are merged. */
export const MAX_CELLS = 128;

export interface Grid {
  readonly bounds: RoomBounds;
  readonly cellsX: number;
  readonly cellsY: number;
  /** Positions per cell, indexed by `y * cellsX + x`. */
  readonly counts: readonly number[];
  /** Whether the counts are exact (see `recoverCounts`) and no cell was outside the grid. */
  readonly exact: boolean;
}

/** Recovers the counts of a room's cells. Cells outside the room's grid are ignored. */
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

/** The intensities of the grid's cells: those of the response, or recalculated if cells were merged. */
export function densityValues(room: HeatmapRoom, grid: Grid): Array<number | null> {
  const isUnmerged = grid.cellsX === room.cellsX && grid.cellsY === room.cellsY;
  const most = Math.log1p(grid.counts.reduce((largest, count) => Math.max(largest, count), 0));
  const values = grid.counts.map((count) => (count === 0 ? null : Math.log1p(count) / most));
  if (!isUnmerged) return values;
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
