/** The cells of a room as a grid small enough to be drawn. */
import type { HeatmapRoom } from "../contract/heatmaps.ts";

/** Intensities from 0 to 1 by row from the top, then column; null where nobody was. */
export type Grid = ReadonlyArray<ReadonlyArray<number | null>>;

/** The room's grid in at most so many columns and rows; cells that share a place show the densest of them. */
export function toGrid(room: HeatmapRoom, maxColumns: number, maxRows: number): Grid {
  const columns = Math.max(1, Math.min(room.cellsX, Math.floor(maxColumns)));
  const rows = Math.max(1, Math.min(room.cellsY, Math.floor(maxRows)));
  const grid = Array.from({ length: rows }, () => new Array<number | null>(columns).fill(null));
  for (const { x, y, intensity } of room.cells) {
    const row = grid[Math.floor((y * rows) / room.cellsY)];
    const column = Math.floor((x * columns) / room.cellsX);
    if (row === undefined || column >= columns) continue;
    row[column] = Math.max(row[column] ?? 0, intensity);
  }
  return grid;
}
