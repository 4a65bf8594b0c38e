/** What a column of a table or of a file is, and the text of its cells. */
import { formatNumber } from "./numbers.ts";
import type { RenderOptions } from "./options.ts";
import type { Style } from "./style.ts";
import { cleanLine } from "./text.ts";

/** What a cell holds: null where nothing is known. */
export type CellValue = string | number | null;

/** One column: a table shows its header and its formatted value, csv and tsv its key and its bare value. */
export interface TableColumn<T> {
  /** Dotted path of the field, as the API names it: the header in csv and tsv. */
  readonly key: string;
  /** Title in tables and Markdown. */
  readonly header: string;
  value(row: T): CellValue;
  /** Columns of numbers stand right, others left, unless this says otherwise. */
  readonly align?: "left" | "right";
  /** Text for people, in tables alone; not called for null. */
  format?(value: string | number, options: RenderOptions): string;
  /** What a value means, for its colour; its text must say it too. */
  readonly style?: Style | ((row: T) => Style | null);
  /** Shown in tables with `--wide` only. */
  readonly wide?: true;
  /** May be cut where the terminal is narrow, the highest first; without it, never. */
  readonly shrink?: number;
}

/** What stands for null in a table: a word for a screen reader's ear would repeat too often. */
export const EMPTY = "-";

/** The clean text of a cell in a table. */
export function cellText<T>(column: TableColumn<T>, value: CellValue, options: RenderOptions): string {
  if (value === null) return EMPTY;
  if (column.format) return cleanLine(column.format(value, options));
  return typeof value === "number" ? formatNumber(value, options) : cleanLine(value);
}

/** The side that a column stands on, from its values where it does not say. */
export function resolveAlign<T>(column: TableColumn<T>, values: readonly CellValue[]): "left" | "right" {
  if (column.align) return column.align;
  const known = values.filter((value) => value !== null);
  return known.length > 0 && known.every((value) => typeof value === "number") ? "right" : "left";
}
