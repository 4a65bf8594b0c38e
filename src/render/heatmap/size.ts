/** Chooses the size of a room and resamples its cells to that size. */
import type { RoomView } from "../../charts/heatmap-view.ts";
import type { CellShade, Shading } from "./cells.ts";

/** Maximum height of the cells, so that a room with its description and legend fits on a screen. */
const MAX_LINES = 30;
/** Maximum factor by which a cell is enlarged. */
const MAX_SCALE = 4;
/** Among sizes with nearly the best aspect ratio (within this tolerance), the largest is chosen. */
const SHAPE_TOLERANCE = 0.05;

export interface PlotSize {
  readonly columns: number;
  /** Rows of cells; half blocks show two per line. */
  readonly rows: number;
}

/**
 * The size closest to the aspect ratio of the room that fits into `space` columns. All cells have the same whole number of
 * columns and rows, so that none looks denser than it is. If there is not enough space, cells are merged.
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
      // A character is about twice as high as wide, so half of it is square.
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

/** Width divided by height in world units, from 0.001 to 1000. A room without area has square cells. */
function computeAspectRatio({ bounds: { xMin, xMax, yMin, yMax }, cellsX, cellsY }: RoomView): number {
  const shape = (xMax / 2 - xMin / 2) / (yMax / 2 - yMin / 2);
  if (!Number.isFinite(shape) || shape <= 0) return cellsX / cellsY;
  return Math.min(1000, Math.max(0.001, shape));
}

/** The cells by row in that size. Merged cells show the value furthest from 0, so that no hot spot is lost. */
export function resampleCells(room: RoomView, { columns, rows }: PlotSize): CellShade[][] {
  const across = splitCells(room.cellsX, columns);
  return splitCells(room.cellsY, rows).map((ys) => across.map((xs) => findFurthest(room, ys, xs)));
}

type CellSpan = readonly [from: number, to: number];

/** The range of cells (without `to`) for each of `places` positions: at least one cell each. */
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
