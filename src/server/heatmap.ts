/** Bins positions into a grid: doubles throughout, so that a plain recomputation gives the same cells. */
import { GRID, type HeatmapRoom } from "../contract/heatmaps.ts";
import type { RoomExtent } from "./ingest/batch-codec.ts";

/** Counts a room's points by cell. */
export class RoomGrid {
  readonly #counts = new Uint32Array(GRID.cellsX * GRID.cellsY);
  readonly #extent: RoomExtent;

  constructor(extent: RoomExtent) {
    this.#extent = extent;
  }

  /** Adds points: n of x, then n of y. */
  add(points: Float64Array): void {
    const { xMin, xMax, yMin, yMax } = this.#extent;
    const [width, height] = [xMax - xMin, yMax - yMin];
    const n = points.length / 2;
    for (let at = 0; at < n; at += 1) {
      const column = cellOf(points[at] ?? 0, xMin, xMax, width, GRID.cellsX);
      const row = cellOf(points[n + at] ?? 0, yMin, yMax, height, GRID.cellsY);
      this.#counts[row * GRID.cellsX + column] = (this.#counts[row * GRID.cellsX + column] ?? 0) + 1;
    }
  }

  /** The room as the API gives it: cells with points only, by y, then x; the densest has intensity 1. */
  finish(): HeatmapRoom {
    const { room, points, xMin, xMax, yMin, yMax } = this.#extent;
    const most = Math.log(1 + Math.max(...this.#counts));
    const cells = [];
    for (const [at, count] of this.#counts.entries()) {
      if (count === 0) continue;
      const intensity = Math.log(1 + count) / most;
      cells.push({ x: at % GRID.cellsX, y: Math.floor(at / GRID.cellsX), intensity });
    }
    const bounds = { xMin, xMax, yMin, yMax };
    return { room, cellsX: GRID.cellsX, cellsY: GRID.cellsY, cells, totalEvents: points, bounds };
  }
}

/** The cell of a coordinate; a room without extent has them all in cell 0. An extent beyond the doubles is halved first. */
function cellOf(value: number, min: number, max: number, extent: number, cells: number): number {
  if (extent === 0) return 0;
  const share = extent === Infinity ? (value / 2 - min / 2) / (max / 2 - min / 2) : (value - min) / extent;
  return Math.min(cells - 1, Math.floor(share * cells));
}
