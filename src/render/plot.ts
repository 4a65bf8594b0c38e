/** Draws one room of a heatmap with its axes in world units. */
import type { HeatmapRoom } from "../contract/heatmaps.ts";
import { type Grid, toGrid } from "./grid.ts";
import type { Shading } from "./heat-cells.ts";
import type { RenderOptions } from "./options.ts";
import { painter } from "./style.ts";
import { pad } from "./text.ts";
import { roundTicks, type Tick } from "./ticks.ts";

/** More rows than this are merged, so that a room fits a screen or two. */
const MAX_ROWS = 64;
/** Columns that an x label and the space to the next take, lines that a y label does. */
const TICK_EVERY = { columns: 10, lines: 3 } as const;
/** Narrower than this a picture says nothing, so the line wraps instead. */
const LEAST_WIDTH = 8;

/** The room's cells, y growing downwards from the first row, with its axes; lines without a final line feed. */
export function drawPlot(room: HeatmapRoom, shading: Shading, options: RenderOptions): string[] {
  const { xMin, xMax, yMin, yMax } = room.bounds;
  const rows = Math.min(room.cellsY, MAX_ROWS);
  const height = Math.ceil(rows / shading.rowsPerLine);
  const yTicks = roundTicks(yMin, yMax, Math.max(2, Math.floor(height / TICK_EVERY.lines)));
  const gutter = Math.max(1, ...yTicks.map((tick) => tick.label.length));
  const space = Math.max(LEAST_WIDTH, options.width - gutter - 2);
  const grid = toGrid(room, space, MAX_ROWS);
  const columns = grid[0]?.length ?? 1;
  const cellWidth = chooseCellWidth(room, grid, shading, space);
  const labels = placeRows(yTicks, room, rows, shading);
  const paint = painter(options);
  const lines: string[] = [];
  for (let at = 0; at < rows; at += shading.rowsPerLine) {
    const lower = shading.rowsPerLine === 2 ? (grid[at + 1] ?? null) : null;
    const label = labels.get(lines.length) ?? "";
    const axis = options.plain ? " " : label ? "┤" : "│";
    const start = paint(`${pad(label, gutter, "right")} ${axis}`, "muted");
    lines.push((start + shading.line(grid[at] ?? [], lower, cellWidth)).trimEnd());
  }
  const marks = placeColumns(roundTicks(xMin, xMax, (columns * cellWidth) / TICK_EVERY.columns), {
    min: xMin,
    max: xMax,
    columns,
    cellWidth,
  });
  return [
    ...lines,
    ...xAxis(marks, gutter, columns * cellWidth, options.plain).map((line) => paint(line, "muted")),
  ];
}

/** 1 or 2: the width at which the picture's shape is nearest to the room's, where there is space for it. */
function chooseCellWidth(room: HeatmapRoom, grid: Grid, shading: Shading, space: number): 1 | 2 {
  const columns = grid[0]?.length ?? 1;
  if (columns * 2 > space || columns < room.cellsX) return 1;
  const { xMin, xMax, yMin, yMax } = room.bounds;
  const world = (xMax - xMin) / (yMax - yMin);
  const square = shading.rowsPerLine === 2 ? 1 : 2;
  if (!Number.isFinite(world) || world <= 0) return square;
  // A line of text is about twice as high as a character is wide.
  const shape = columns / (grid.length * square);
  const off = (width: number) => Math.abs(Math.log((shape * width) / world));
  return off(1) <= off(2) ? 1 : 2;
}

/** The label of each line that has one. */
function placeRows(
  ticks: readonly Tick[],
  room: HeatmapRoom,
  rows: number,
  shading: Shading,
): Map<number, string> {
  const { yMin, yMax } = room.bounds;
  const labels = new Map<number, string>();
  for (const { value, label } of ticks) {
    const line = Math.floor(cellOf(value, yMin, yMax, rows) / shading.rowsPerLine);
    if (!labels.has(line)) labels.set(line, label);
  }
  return labels;
}

interface Mark {
  readonly label: string;
  /** Column of the plot that the tick stands at. */
  readonly at: number;
}

interface Scale {
  readonly min: number;
  readonly max: number;
  readonly columns: number;
  readonly cellWidth: number;
}

function placeColumns(ticks: readonly Tick[], scale: Scale): Mark[] {
  return ticks.map(({ value, label }) => ({
    label,
    at: cellOf(value, scale.min, scale.max, scale.columns) * scale.cellWidth,
  }));
}

/** The cell that a value falls in; the last one holds its upper bound. */
function cellOf(value: number, min: number, max: number, cells: number): number {
  const share = max > min ? (value - min) / (max - min) : 0;
  return Math.min(cells - 1, Math.max(0, Math.floor(share * cells)));
}

/** The axis line and the labels under it; a label that would touch the one before is left out. */
function xAxis(marks: readonly Mark[], gutter: number, width: number, plain: boolean): string[] {
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
