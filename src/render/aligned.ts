/** Lines whose cells stand below each other, without a header. */
import type { RenderOptions } from "./options.ts";
import { painter, type Style } from "./style.ts";
import { cleanLine, displayWidth, pad } from "./text.ts";
import { wrapText } from "./wrap.ts";

export interface AlignedCell {
  readonly text: string;
  readonly style?: Style | null;
  readonly align?: "left" | "right";
  /** Left out of all lines if they would not fit the terminal otherwise. */
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
  const fits = measure(measureColumns(cleaned)) <= max;
  const shown = withoutEmpty(
    fits ? cleaned : cleaned.map((row) => row.filter(({ isOptional }) => !isOptional)),
  );
  const widths = measureColumns(shown).map((width) => (options.tty ? width : Math.min(width, PIPE_WIDTH)));
  const paint = painter(options);
  return shown.map((row) => {
    const own = row.map(({ text }, at) => (at < row.length - 1 ? (widths[at] ?? 0) : displayWidth(text)));
    if (measure(own) > max) return flowCells(row, indent, options).join("\n");
    const cells = row.map(({ text, style, align }, at) => paint(pad(text, own[at] ?? 0, align), style));
    return `${indent}${cells.join(GAP)}`.trimEnd();
  });
}

/** The cells of a row one after another, on as many lines as they need. Only a cell that is wider than a line is broken. */
function flowCells(row: readonly AlignedCell[], indent: string, options: RenderOptions): string[] {
  const paint = painter(options);
  const max = options.width - indent.length;
  const lines: string[] = [];
  let taken = 0;
  for (const { text, style } of row.filter((cell) => cell.text !== "")) {
    for (const part of wrapText(text, max - HANGING.length)) {
      const painted = paint(part, style);
      const width = displayWidth(part);
      if (lines.length > 0 && taken + GAP.length + width <= max) {
        lines.push(`${lines.pop()}${GAP}${painted}`);
        taken += GAP.length + width;
      } else {
        const start = lines.length === 0 ? "" : HANGING;
        lines.push(`${indent}${start}${painted}`);
        taken = start.length + width;
      }
    }
  }
  return lines;
}

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
