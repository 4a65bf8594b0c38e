/** Chooses how large a room is drawn, and makes its cells that large. */
import type { RoomView } from "../../charts/heatmap-view.ts";
import type { CellShade, Shading } from "./cells.ts";

/** Lines that a room's cells take at most, so that a room and what is said of it fits a screen. */
const MAX_LINES = 30;
/** A cell is drawn so many times its least width and height at most. */
const MAX_SCALE = 4;
/** Of sizes whose shapes are about as near to the room's as the nearest, in parts, the largest is taken. */
const SHAPE_TOLERANCE = 0.05;

export interface PlotSize {
  readonly columns: number;
  /** Rows of cells, two a line in half blocks. */
  readonly rows: number;
}

/**
 * The size nearest to the room's shape in world units that fits so many columns. A cell takes a whole number of columns
 * and rows, each as many as the next, so that none looks as if it held more; where there is no space, cells are merged.
 */
export function choosePlotSize(
  room: RoomView,
  space: number,
  { rowsPerLine }: Pick<Shading, "rowsPerLine">,
): PlotSize {
  const widths = multiples(room.cellsX, Math.max(1, Math.floor(space)));
  const heights = multiples(room.cellsY, MAX_LINES * rowsPerLine);
  const world = computeAspectRatio(room);
  const sizes = widths.flatMap((columns) =>
    heights.map((rows) => {
      // A character is about twice as high as it is wide, so that half of one is square.
      const shape = (columns / rows) * (rowsPerLine === 2 ? 1 : 0.5);
      return { columns, rows, off: Math.abs(Math.log(shape / world)) };
    }),
  );
  const nearest = Math.min(...sizes.map(({ off }) => off));
  const fitting = sizes.filter(({ off }) => off <= nearest + SHAPE_TOLERANCE);
  return fitting.reduce((best, size) => (size.columns * size.rows > best.columns * best.rows ? size : best));
}

function multiples(cells: number, most: number): number[] {
  if (cells >= most) return [most];
  const count = Math.min(MAX_SCALE, Math.floor(most / cells));
  return Array.from({ length: count }, (_, at) => cells * (at + 1));
}

/** Width by height in world units, at least a thousandth and at most a thousand; square cells where it has no area. */
function computeAspectRatio({ bounds: { xMin, xMax, yMin, yMax }, cellsX, cellsY }: RoomView): number {
  const shape = (xMax / 2 - xMin / 2) / (yMax / 2 - yMin / 2);
  if (!Number.isFinite(shape) || shape <= 0) return cellsX / cellsY;
  return Math.min(1000, Math.max(0.001, shape));
}

/** The room's cells by row in that size. Cells that share a place show the one furthest from 0: nothing gets lost. */
export function resampleCells(room: RoomView, { columns, rows }: PlotSize): CellShade[][] {
  const across = splitCells(room.cellsX, columns);
  return splitCells(room.cellsY, rows).map((ys) => across.map((xs) => findFurthest(room, ys, xs)));
}

type CellSpan = readonly [from: number, to: number];

/** The cells, `to` not among them, that each of so many places shows: at least one. */
function splitCells(cells: number, places: number): CellSpan[] {
  return Array.from({ length: places }, (_, at) => {
    const from = Math.floor((at * cells) / places);
    return [from, Math.max(from + 1, Math.floor(((at + 1) * cells) / places))];
  });
}

function findFurthest({ values, cellsX }: RoomView, ys: CellSpan, xs: CellSpan): CellShade {
  let found: CellShade = null;
  for (let y = ys[0]; y < ys[1]; y++) {
    for (let x = xs[0]; x < xs[1]; x++) {
      const value = values[y * cellsX + x] ?? null;
      if (value !== null && (found === null || Math.abs(value) > Math.abs(found))) found = value;
    }
  }
  return found;
}
