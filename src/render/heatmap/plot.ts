/** Draws the cells of a room with axes in world units. */
import type { RoomView } from "../../charts/heatmap-view.ts";
import type { RenderOptions } from "../options.ts";
import { painter } from "../style.ts";
import { pad } from "../text.ts";
import { roundTicks, type Tick } from "../ticks.ts";
import type { Shading } from "./cells.ts";
import { type PaintedLine, paintLine } from "./lines.ts";
import { placeMarks } from "./marks.ts";
import { choosePlotSize, type PlotSize, resampleCells } from "./size.ts";

/** Minimum lines between y labels; columns between x labels, of which the first that fits all labels is used. */
const TICK_EVERY = { lines: 2, columns: [6, 8, 10, 14, 20] } as const;
/** Maximum number of labels on the y axis. */
const MAX_TICKS = 8;
/** A narrower plot would be meaningless, so lines wrap instead. */
const MIN_WIDTH = 8;
/** The layout usually converges in one or two attempts. */
const MAX_LAYOUT_ATTEMPTS = 3;

/** The cells with their axes in at most `width` columns. */
export function drawPlot(
  room: RoomView,
  shading: Shading,
  width: number,
  options: RenderOptions,
): PaintedLine[] {
  const { size, ticks, gutter } = computeLayout(room, shading, width);
  const cells = resampleCells(room, size);
  const grid = room.yUp ? cells.reverse() : cells;
  const labels = placeRows(ticks, room, size, shading);
  const overlay = placeMarks(room, size, shading.rowsPerLine);
  const paint = painter(options);
  const lines: PaintedLine[] = [];
  for (let at = 0; at < size.rows; at += shading.rowsPerLine) {
    const lower = shading.rowsPerLine === 2 ? (grid[at + 1] ?? null) : null;
    const label = labels.get(lines.length) ?? "";
    const axis = options.plain ? " " : label ? "┤" : "│";
    const start = paint(`${pad(label, gutter, "right")} ${axis}`, "muted");
    lines.push({
      text: start + shading.line(grid[at] ?? [], lower, overlay.get(lines.length)),
      width: gutter + 2 + size.columns,
    });
  }
  const axisMarks = placeAxisMarks(room, size.columns);
  const axis = xAxis(axisMarks, gutter, size.columns, options.plain);
  return [...lines, ...axis.map((line) => paintLine(line, paint, "muted"))];
}

interface PlotLayout {
  readonly size: PlotSize;
  readonly ticks: readonly Tick[];
  /** Columns of the widest y label. */
  readonly gutter: number;
}

/** The labels reduce the width of the cells, and the height of the cells decides the number of labels. */
function computeLayout(room: RoomView, shading: Shading, width: number): PlotLayout {
  const { yMin, yMax } = room.bounds;
  let gutter = 1;
  let size: PlotSize = { columns: 1, rows: 1 };
  let ticks: Tick[] = [];
  for (let attempt = 0; attempt < MAX_LAYOUT_ATTEMPTS; attempt++) {
    size = choosePlotSize(room, Math.max(MIN_WIDTH, width - gutter - 2), shading);
    const lines = Math.ceil(size.rows / shading.rowsPerLine);
    ticks = roundTicks(yMin, yMax, Math.min(MAX_TICKS, Math.max(2, lines / TICK_EVERY.lines)));
    const needed = Math.max(gutter, ...ticks.map((tick) => tick.label.length));
    if (needed === gutter) break;
    gutter = needed;
  }
  return { size, ticks, gutter };
}

/** Assigns labels to lines. */
function placeRows(
  ticks: readonly Tick[],
  { bounds: { yMin, yMax }, yUp }: RoomView,
  { rows }: PlotSize,
  { rowsPerLine }: Shading,
): Map<number, string> {
  const labels = new Map<number, string>();
  for (const { value, label } of ticks) {
    const row = toIndex(value, yMin, yMax, rows);
    const line = Math.floor((yUp ? rows - 1 - row : row) / rowsPerLine);
    if (!labels.has(line)) labels.set(line, label);
  }
  return labels;
}

/** The index of the interval (of `places`) that contains a value; the last one includes its upper bound. */
function toIndex(value: number, min: number, max: number, places: number): number {
  const extent = max / 2 - min / 2;
  const share = extent > 0 ? (value / 2 - min / 2) / extent : 0;
  return Math.min(places - 1, Math.max(0, Math.floor(share * places)));
}

interface AxisMark {
  readonly label: string;
  /** Column of the tick in the plot. */
  readonly at: number;
}

/** As many marks as possible without overlapping labels. */
function placeAxisMarks({ bounds: { xMin, xMax } }: RoomView, columns: number): AxisMark[] {
  let marks: AxisMark[] = [];
  for (const every of TICK_EVERY.columns) {
    marks = roundTicks(xMin, xMax, columns / every).map(({ value, label }) => ({
      label,
      at: toIndex(value, xMin, xMax, columns),
    }));
    const apart = (mark: AxisMark, next: AxisMark) =>
      next.at - mark.at >= (mark.label.length + next.label.length) / 2 + 2;
    if (marks.every((mark, at) => at === 0 || apart(marks[at - 1] ?? mark, mark))) break;
  }
  return marks;
}

/** The axis line and its labels. Labels that would overlap are left out. */
function xAxis(marks: readonly AxisMark[], gutter: number, width: number, plain: boolean): string[] {
  const start = gutter + 2;
  const rule = new Array<string>(width).fill("─");
  let labels = "";
  for (const { label, at } of marks) {
    const centred = start + at - Math.floor((label.length - 1) / 2);
    const from = Math.max(0, Math.min(centred, start + width - label.length));
    if (labels !== "" && from < labels.length + 2) continue;
    labels = labels.padEnd(from) + label;
    rule[at] = "┬";
  }
  return plain ? [labels] : [`${" ".repeat(gutter + 1)}└${rule.join("")}`, labels];
}
