/** Draws a list as a table: a quiet one at a terminal, aligned text for a screen reader. */
import Table from "cli-table3";
import { cellText, resolveAlign, type TableColumn } from "./columns.ts";
import { type Detail, renderDetails } from "./details.ts";
import { fitColumns } from "./fit.ts";
import type { RenderOptions } from "./options.ts";
import { type Paint, painter, type Style } from "./style.ts";
import { cleanLine, displayWidth, truncate } from "./text.ts";

const GAP = "  ";
/** In a pipe nothing is cut; a longer cell is not padded for, so that one giant does not widen every line. */
const PIPE_WIDTH = 120;

interface StyledCell {
  readonly text: string;
  readonly style: Style | null;
}

interface MeasuredColumn {
  readonly header: string;
  readonly cells: readonly StyledCell[];
  readonly align: "left" | "right";
  readonly natural: number;
  readonly shrink: number | null;
}

/**
 * The table of the rows, a line each, ending in a line feed. At a terminal its columns shrink to fit `options.width`,
 * and where they cannot, every row is a record of its own; in a pipe nothing is cut. Without rows only the header is drawn.
 * `headings` are lines, clean and painted, that stand before the row of their number after an empty one.
 */
export function renderTable<T>(
  rows: readonly T[],
  columns: readonly TableColumn<T>[],
  options: RenderOptions,
  headings: ReadonlyMap<number, string> = new Map(),
): string {
  const drawn = columns
    .filter((column) => options.wide || !column.wide)
    .map((column) => measureColumn(rows, column, options));
  const widths = options.tty ? fitToTerminal(drawn, options.width) : drawn.map((column) => column.natural);
  const taken = widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  if (options.tty && taken > options.width && rows.length > 0)
    return renderRecords(rows.length, drawn, options, headings);
  const paint = painter(options);
  const frame = options.plain ? plainFrame(widths) : boxFrame(widths);
  const headers = drawn.map((column): StyledCell => ({ text: column.header, style: "strong" }));
  const lines = [fillRow(frame.row, headers, drawn, widths, paint, options.tty)];
  if (frame.rule !== null) lines.push(paint(frame.rule, "muted"));
  for (const at of rows.keys()) {
    const heading = headings.get(at);
    if (heading !== undefined) lines.push("", heading);
    const cells = drawn.map((column) => column.cells[at] ?? { text: "", style: null });
    lines.push(fillRow(frame.row, cells, drawn, widths, paint, options.tty));
  }
  return `${lines.join("\n")}\n`;
}

/** What does not fit side by side stands one below the other: a record a row, a line between. */
function renderRecords(
  count: number,
  columns: readonly MeasuredColumn[],
  options: RenderOptions,
  headings: ReadonlyMap<number, string>,
): string {
  const records = Array.from({ length: count }, (_, at) => {
    const heading = headings.get(at);
    const record = renderDetails(
      columns.map(({ header, cells }): Detail => {
        const { text = "", style } = cells[at] ?? {};
        return style ? [header, text, style] : [header, text];
      }),
      options,
    );
    return heading === undefined ? record : `${heading}\n${record}`;
  });
  return records.join("\n");
}

function measureColumn<T>(
  rows: readonly T[],
  column: TableColumn<T>,
  options: RenderOptions,
): MeasuredColumn {
  const values = rows.map((row) => column.value(row));
  const most = options.tty ? options.width : Number.POSITIVE_INFINITY;
  const header = cleanLine(column.header);
  const cells = rows.map((row, at): StyledCell => {
    const value = values[at] ?? null;
    const style = typeof column.style === "function" ? column.style(row) : (column.style ?? null);
    return {
      text: cellText(column, value, options),
      style: value === null ? "muted" : style,
    };
  });
  let natural = Math.max(1, displayWidth(header));
  for (const { text } of cells) natural = Math.max(natural, Math.min(displayWidth(text), most));
  return {
    header,
    cells,
    natural: options.tty ? natural : Math.min(natural, PIPE_WIDTH),
    align: resolveAlign(column, values),
    shrink: column.shrink ?? null,
  };
}

function fitToTerminal(columns: readonly MeasuredColumn[], width: number): number[] {
  const demands = columns.map(({ natural, header, shrink }) => ({
    natural,
    header: displayWidth(header),
    shrink,
  }));
  return fitColumns(demands, width - GAP.length * (columns.length - 1));
}

/** A line of the table with a slot for each cell, and the rule under the header; null for none. */
interface RowTemplate {
  readonly row: string;
  readonly rule: string | null;
}

const OPEN = "\x01";
const CLOSE = "\x02";
const SLOT = new RegExp(`${OPEN}[^${CLOSE}]*${CLOSE}`, "g");

/**
 * The lines that every row repeats, drawn once: cli-table3 takes time with the square of its rows, and measures
 * text without emoji sequences or most marks, so it draws the frame and the cells are filled in after.
 */
function boxFrame(widths: readonly number[]): RowTemplate {
  const none = { top: "", "top-mid": "", "top-left": "", "top-right": "", "left-mid": "", "right-mid": "" };
  const bottom = { bottom: "", "bottom-mid": "", "bottom-left": "", "bottom-right": "" };
  const table = new Table({
    head: widths.map(() => ""),
    colWidths: [...widths],
    chars: {
      ...none,
      ...bottom,
      left: OPEN,
      middle: CLOSE + GAP + OPEN,
      right: CLOSE,
      "mid-mid": GAP,
      mid: "─",
    },
    style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": 0 },
  });
  table.push(widths.map(() => ""));
  const [, rule = "", row = ""] = table.toString().split("\n");
  return { row, rule };
}

function plainFrame(widths: readonly number[]): RowTemplate {
  return { row: widths.map(() => OPEN + CLOSE).join(GAP), rule: null };
}

function fillRow(
  line: string,
  cells: readonly StyledCell[],
  columns: readonly MeasuredColumn[],
  widths: readonly number[],
  paint: Paint,
  cut: boolean,
): string {
  let at = 0;
  const filled = line.replace(SLOT, () => {
    const cell = cells[at] ?? { text: "", style: null };
    const width = widths[at] ?? 0;
    const text = cut ? truncate(cell.text, width) : cell.text;
    const blank = " ".repeat(Math.max(0, width - displayWidth(text)));
    const painted = paint(text, cell.style);
    const right = columns[at]?.align === "right";
    at += 1;
    return right ? blank + painted : painted + blank;
  });
  return filled.trimEnd();
}
