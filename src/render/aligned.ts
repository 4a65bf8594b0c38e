/** Lines whose cells stand below each other, without a header. */
import type { RenderOptions } from "./options.ts";
import { painter, type Style } from "./style.ts";
import { cleanLine, displayWidth, pad } from "./text.ts";
import { wrapText } from "./wrap.ts";

export interface AlignedCell {
  readonly text: string;
  readonly style?: Style | null;
  readonly align?: "left" | "right";
  /** Left out of all lines if they would not fit the terminal otherwise, the first column first. */
  readonly isOptional?: boolean;
}

const GAP = "  ";
/** Cells of a pipe are only padded to this width. */
const PIPE_WIDTH = 60;

/** How much further the second line of a row is indented. */
const HANGING = "    ";

/**
 * One text for each row of cells, indented. All rows have the same columns, without empty ones. A row that is wider than the terminal has
 * several lines.
 */
export function alignCells(
  rows: readonly (readonly AlignedCell[])[],
  indent: string,
  options: RenderOptions,
): string[] {
  const cleaned = rows.map((row) => row.map((cell) => ({ ...cell, text: cleanLine(cell.text) })));
  const max = options.tty ? options.width - indent.length : Number.POSITIVE_INFINITY;
  let shown = withoutEmpty(cleaned);
  for (
    let first = findOptional(shown);
    first >= 0 && measure(measureColumns(shown)) > max;
    first = findOptional(shown)
  )
    shown = shown.map((row) => row.toSpliced(first, 1));
  const widths = measureColumns(shown).map((width) => (options.tty ? width : Math.min(width, PIPE_WIDTH)));
  const paint = painter(options);
  return shown.map((row) => {
    const own = narrow(row, widths, max);
    let first = row.length;
    while (first > 0 && measure(own.slice(0, first)) > max) first -= 1;
    const cells = row
      .slice(0, first)
      .map(({ text, style, align }, at) => paint(pad(text, own[at] ?? 0, align), style));
    const rest = flowCells(row.slice(first), indent + HANGING, options);
    // Without aligned cells, the first line of the rest is the first of the row.
    if (first === 0) return rest.join("\n").slice(HANGING.length);
    return [`${indent}${cells.join(GAP)}`.trimEnd(), ...rest].join("\n");
  });
}

/** The width of each cell of a row, with fewer blanks, those on the right first, if it would be wider than the terminal. */
function narrow(row: readonly AlignedCell[], widths: readonly number[], max: number): number[] {
  const natural = row.map(({ text }) => displayWidth(text));
  const own = natural.map((width, at) => (at < row.length - 1 ? (widths[at] ?? 0) : width));
  let surplus = measure(own) - max;
  for (let at = row.length - 1; at >= 0 && surplus > 0; at -= 1) {
    const cut = Math.min(surplus, (own[at] ?? 0) - (natural[at] ?? 0));
    own[at] = (own[at] ?? 0) - cut;
    surplus -= cut;
  }
  return surplus > 0 ? own.map((_, at) => widths[at] ?? 0) : own;
}

/** Cells one after another, on as many lines as they need. Only a cell that is wider than a line is broken. */
function flowCells(cells: readonly AlignedCell[], indent: string, options: RenderOptions): string[] {
  const paint = painter(options);
  const max = options.width - indent.length;
  const lines: string[] = [];
  let taken = 0;
  for (const { text, style } of cells.filter((cell) => cell.text !== "")) {
    for (const part of wrapText(text, max)) {
      const painted = paint(part, style);
      const width = displayWidth(part);
      if (lines.length > 0 && taken + GAP.length + width <= max) {
        lines.push(`${lines.pop()}${GAP}${painted}`);
        taken += GAP.length + width;
      } else {
        lines.push(`${indent}${painted}`);
        taken = width;
      }
    }
  }
  return lines;
}

/** The first optional column; -1 for none. */
const findOptional = ([row = []]: readonly (readonly AlignedCell[])[]): number =>
  row.findIndex(({ isOptional }) => isOptional);

function withoutEmpty(rows: readonly AlignedCell[][]): AlignedCell[][] {
  const widths = measureColumns(rows);
  return rows.map((row) => row.filter((_, at) => (widths[at] ?? 0) > 0));
}

function measureColumns(rows: readonly (readonly AlignedCell[])[]): number[] {
  const count = Math.max(0, ...rows.map(({ length }) => length));
  return Array.from({ length: count }, (_, at) =>
    Math.max(0, ...rows.map((row) => displayWidth(row[at]?.text ?? ""))),
  );
}

const measure = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, GAP.length * Math.max(0, widths.length - 1));
