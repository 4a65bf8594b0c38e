/** Draws one record: a label and its value a line. */
import { type CellValue, EMPTY } from "./columns.ts";
import { formatNumber } from "./numbers.ts";
import type { RenderOptions } from "./options.ts";
import { painter, type Style } from "./style.ts";
import { cleanBlock, cleanLine, displayWidth, pad } from "./text.ts";
import { wrapText } from "./wrap.ts";

/** A line of a record: its label, its value (`-` for null), and what the value means. */
export type Detail = readonly [label: string, value: CellValue, style?: Style];

const GAP = "  ";
/** Below this a value stands under its label, not beside it. */
const MIN_VALUE_WIDTH = 20;

/**
 * The record, values aligned, ending in a line feed. Long text wraps at a terminal under its own start;
 * its line feeds stay.
 */
export function renderDetails(details: readonly Detail[], options: RenderOptions): string {
  const paint = painter(options);
  const labels = details.map(([label]) => cleanLine(label));
  const labelWidth = Math.max(0, ...labels.map(displayWidth));
  const available = options.tty ? options.width - labelWidth - GAP.length : Number.POSITIVE_INFINITY;
  const beside = available >= MIN_VALUE_WIDTH;
  const indent = beside ? " ".repeat(labelWidth + GAP.length) : GAP;
  const room = beside ? available : options.width - GAP.length;
  let text = "";
  for (const [at, [, value, style]] of details.entries()) {
    const lines = wrapText(detailText(value, options), room).map((line) =>
      paint(line, value === null ? "muted" : style),
    );
    const label = labels[at] ?? "";
    const painted = paint(label, "muted") + pad("", labelWidth - displayWidth(label));
    text += beside
      ? `${painted}${GAP}${lines.join(`\n${indent}`)}`
      : `${painted}\n${indent}${lines.join(`\n${indent}`)}`;
    text += "\n";
  }
  return text.replace(/ +$/gm, "");
}

function detailText(value: CellValue, options: RenderOptions): string {
  if (value === null) return EMPTY;
  return typeof value === "number" ? formatNumber(value, options) : cleanBlock(value);
}
