/** Renders a list as a table, or as aligned text for a screen reader. */
import Table from "cli-table3";
import { type CellValue, cellText, orderForTable, resolveAlign, type TableColumn } from "./columns.ts";
import { type Detail, renderDetails } from "./details.ts";
import type { RenderOptions } from "./options.ts";
import { shortenIds } from "./short-ids.ts";
import { type Paint, painter, type Style } from "./style.ts";
import { cleanLine, displayWidth, truncate } from "./text.ts";
import { wrapText } from "./wrap.ts";

const GAP = "  ";
/** Nothing is truncated in a pipe, but columns are only padded to this width, so one long cell does not widen all rows. */
const PIPE_WIDTH = 120;
/** A truncated column stays at least this wide, so that its text still makes sense. */
const MIN_COLUMN_WIDTH = 8;
/** A wrapped cell has at most this many lines. The last one is truncated. */
const MAX_CELL_LINES = 3;

interface StyledCell {
  readonly text: string;
  readonly style: Style | null;
}

interface MeasuredColumn {
  readonly header: string;
  readonly cells: readonly StyledCell[];
  readonly align: "left" | "right";
  /** Width of the widest cell. */
  readonly natural: number;
  /** The column is not truncated below this width. */
  readonly minWidth: number;
  /** Priority for truncating the column, highest first; null for never. */
  readonly shrink: number | null;
  readonly wraps: boolean;
  readonly yields: boolean;
}

/**
 * The table with one line per row, ending in a line feed. At a terminal, columns are truncated or wrapped to fit
 * `options.width`, except with `options.wide`. If the table still does not fit, every row becomes a record. Nothing is truncated in a pipe. Without rows, the table consists of its
 * header. `headings` are lines, already escaped and styled, that follow an empty line before the row with their index.
 */
export function renderTable<T>(
  rows: readonly T[],
  columns: readonly TableColumn<T>[],
  options: RenderOptions,
  headings: ReadonlyMap<number, string> = new Map(),
): string {
  const drawn = orderForTable(columns)
    .filter((column) => options.wide || !column.wide)
    .map((column) => measureColumn(rows, column, options));
  // `--wide` truncates nothing, because people use it to see whole values.
  const fits = options.tty && !options.wide;
  const measure = () =>
    fits
      ? fitColumns(drawn, options.width - GAP.length * (drawn.length - 1))
      : drawn.map((column) => column.natural);
  let widths = measure();
  while (fits && sumWidths(widths) > options.width) {
    const at = drawn.findLastIndex(({ yields }) => yields);
    if (at < 0) break;
    drawn.splice(at, 1);
    widths = measure();
  }
  const total = sumWidths(widths);
  if (options.tty && total > options.width && rows.length > 0)
    return renderRecords(rows.length, drawn, options, headings);
  const paint = painter(options);
  const frame = options.plain ? plainFrame(widths) : boxFrame(widths);
  const headers = drawn.map((column): StyledCell => ({ text: column.header, style: "strong" }));
  const lines = [fillRow(frame.row, headers, drawn, widths, paint, options.tty)];
  if (frame.rule !== null) lines.push(paint(frame.rule, "muted"));
  for (const index of rows.keys()) {
    const heading = headings.get(index);
    if (heading !== undefined) lines.push("", heading);
    const cells = drawn.map((column) => column.cells[index] ?? { text: "", style: null });
    lines.push(fillRow(frame.row, cells, drawn, widths, paint, options.tty));
  }
  return `${lines.join("\n")}\n`;
}

const sumWidths = (widths: readonly number[]) =>
  widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));

/** Shows each row as a record, with an empty line in between. */
function renderRecords(
  count: number,
  columns: readonly MeasuredColumn[],
  options: RenderOptions,
  headings: ReadonlyMap<number, string>,
): string {
  const records = Array.from({ length: count }, (_, index) => {
    const heading = headings.get(index);
    const record = renderDetails(
      columns.map(({ header, cells }): Detail => {
        const { text = "", style } = cells[index] ?? {};
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
  const maxWidth = options.tty ? options.width : Number.POSITIVE_INFINITY;
  const header = cleanLine(column.header);
  const shortIds =
    column.shortens && !options.wide
      ? shortenIds(values.filter((value) => typeof value === "string"))
      : new Map<CellValue, string>();
  const cells = rows.map((row, index): StyledCell => {
    const whole = values[index] ?? null;
    const value = shortIds.get(String(whole)) ?? whole;
    const style = typeof column.style === "function" ? column.style(row) : (column.style ?? null);
    return {
      text: cellText(column, value, row, options),
      style: value === null ? "muted" : style,
    };
  });
  let natural = Math.max(1, displayWidth(header));
  for (const { text } of cells) natural = Math.max(natural, Math.min(displayWidth(text), maxWidth));
  return {
    header,
    cells,
    natural: options.tty ? natural : Math.min(natural, PIPE_WIDTH),
    align: resolveAlign(column, values),
    minWidth: Math.max(column.minWidth ?? MIN_COLUMN_WIDTH, displayWidth(header)),
    shrink: column.shrink ?? null,
    wraps: column.wrap ?? false,
    yields: column.yields ?? false,
  };
}

interface RowTemplate {
  /** A line with a slot for each cell. */
  readonly row: string;
  /** The rule under the header; null for none. */
  readonly rule: string | null;
}

const OPEN = "\x01";
const CLOSE = "\x02";
export const SLOT = new RegExp(`${OPEN}[^${OPEN}${CLOSE}]*${CLOSE}`, "g");

/**
 * Renders the template of all rows once. cli-table3 takes quadratic time in the number of rows and measures emoji
 * sequences and combining marks incorrectly, so it only draws the frame. `fillRow` fills in the cells.
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

/** The row, with further lines if cells are wrapped. */
function fillRow(
  template: string,
  cells: readonly StyledCell[],
  columns: readonly MeasuredColumn[],
  widths: readonly number[],
  paint: Paint,
  shouldFit: boolean,
): string {
  const fitted = cells.map(({ text }, index) =>
    shouldFit ? fitCell(text, widths[index] ?? 0, columns[index]?.wraps ?? false) : [text],
  );
  const height = Math.max(...fitted.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => {
    const parts = cells.map(({ style }, index) => ({ text: fitted[index]?.[line] ?? "", style }));
    return fillLine(template, parts, columns, widths, paint);
  }).join("\n");
}

/** The lines of a cell, each at most `width` columns wide. */
function fitCell(text: string, width: number, wraps: boolean): string[] {
  if (!wraps) return [truncate(text, width)];
  const lines = wrapText(text, width);
  if (lines.length <= MAX_CELL_LINES) return lines;
  const kept = lines.slice(0, MAX_CELL_LINES - 1);
  return [...kept, truncate(lines.slice(MAX_CELL_LINES - 1).join(" "), width)];
}

function fillLine(
  template: string,
  cells: readonly StyledCell[],
  columns: readonly MeasuredColumn[],
  widths: readonly number[],
  paint: Paint,
): string {
  let index = 0;
  const filled = template.replace(SLOT, () => {
    const { text, style } = cells[index] ?? { text: "", style: null };
    const width = widths[index] ?? 0;
    const blank = " ".repeat(Math.max(0, width - displayWidth(text)));
    const painted = paint(text, style);
    const right = columns[index]?.align === "right";
    index += 1;
    return right ? blank + painted : painted + blank;
  });
  return filled.trimEnd();
}

type ColumnDemand = Pick<MeasuredColumn, "natural" | "minWidth" | "shrink">;

/**
 * The widths of the columns so that together they fit into `available`. Columns with the highest priority shrink first,
 * starting with the widest. If that is not enough, the result is wider than available.
 */
export function fitColumns(demands: readonly ColumnDemand[], available: number): number[] {
  const widths = demands.map((demand) => demand.natural);
  const priorities = [...new Set(demands.flatMap((demand) => demand.shrink ?? []))].sort((a, b) => b - a);
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  for (const priority of priorities) {
    const members = [...demands.keys()].filter((index) => demands[index]?.shrink === priority);
    while (excess > 0) {
      const widest = widestAbove(members, widths, demands);
      if (widest === null) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
      excess -= 1;
    }
  }
  return widths;
}

/** The widest member that may still shrink; null if none may. */
function widestAbove(
  members: readonly number[],
  widths: readonly number[],
  demands: readonly ColumnDemand[],
): number | null {
  let widest: number | null = null;
  for (const index of members) {
    const width = widths[index] ?? 0;
    if (width <= (demands[index]?.minWidth ?? 0)) continue;
    if (widest === null || width > (widths[widest] ?? 0)) widest = index;
  }
  return widest;
}
