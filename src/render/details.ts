/** Renders one record as lines of labels and values. */
import { trimEndOf } from "../shared/trim.ts";
import { type CellValue, EMPTY } from "./columns.ts";
import { formatNumber } from "./numbers.ts";
import type { RenderOptions } from "./options.ts";
import { painter, type Style } from "./style.ts";
import { cleanBlock, cleanLine, displayWidth, pad } from "./text.ts";
import { wrapText } from "./wrap.ts";

/** A line of a record: its label, its value (`-` for null) and its style. */
export type Detail = readonly [label: string, value: CellValue, style?: Style];

const GAP = "  ";
/** If fewer columns are available, each value goes on the line below its label. */
const MIN_VALUE_WIDTH = 20;

/**
 * Renders the record with aligned values and a final line feed. At a terminal, long text is wrapped and indented to the
 * start of the value. Line feeds in the text are kept.
 */
export function renderDetails(details: readonly Detail[], options: RenderOptions): string {
  const paint = painter(options);
  const labels = details.map(([label]) => cleanLine(label));
  const labelWidth = Math.max(0, ...labels.map(displayWidth));
  const available = options.tty ? options.width - labelWidth - GAP.length : Number.POSITIVE_INFINITY;
  const sameLine = available >= MIN_VALUE_WIDTH;
  const indent = sameLine ? " ".repeat(labelWidth + GAP.length) : GAP;
  const valueWidth = sameLine ? available : options.width - GAP.length;
  let text = "";
  for (const [at, [, value, style]] of details.entries()) {
    const lines = wrapText(detailText(value, options), valueWidth).map((line) =>
      paint(line, value === null ? "muted" : style),
    );
    const label = labels[at] ?? "";
    const painted = paint(label, "muted") + pad("", labelWidth - displayWidth(label));
    text += sameLine
      ? `${painted}${GAP}${lines.join(`\n${indent}`)}`
      : `${painted}\n${indent}${lines.join(`\n${indent}`)}`;
    text += "\n";
  }
  return text
    .split("\n")
    .map((line) => trimEndOf(line, " "))
    .join("\n");
}

function detailText(value: CellValue, options: RenderOptions): string {
  if (value === null) return EMPTY;
  return typeof value === "number" ? formatNumber(value, options) : cleanBlock(value);
}
