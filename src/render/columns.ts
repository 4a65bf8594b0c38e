/** The columns of tables and files, and the text of their cells. */
import type { CellValue, FieldColumn } from "../contract/resource.ts";
import { formatNumber } from "./numbers.ts";
import type { RenderOptions } from "./options.ts";
import type { Style } from "./style.ts";
import { cleanLine } from "./text.ts";

export type { CellValue };

/** One column. Tables show its header and formatted value, CSV and TSV its key and unformatted value. */
export interface TableColumn<T>
  extends Pick<FieldColumn<T>, "header" | "shrink" | "minWidth" | "yields" | "last"> {
  /** Dotted path of the field in the API response: the header in CSV and TSV. */
  readonly key: string;
  value(row: T): CellValue;
  /** By default, numbers are aligned right and everything else left. */
  readonly align?: "left" | "right";
  /** Formats the value for tables; not called for null. */
  format?(value: string | number, options: RenderOptions, row: T): string;
  /** The meaning of the value, shown by color. The text must show it too. */
  readonly style?: Style | ((row: T) => Style | null);
  /** Shown in tables only with `--wide`. */
  readonly wide?: true;
  /** Whether a text that is too wide for the terminal continues on further lines, instead of being truncated. */
  readonly wrap?: true;
  /** Left out of a list at a terminal if all rows have the same value. */
  readonly dropsConstant?: true;
  /** Tables shorten values that are ids of the service, except with `--wide`. */
  readonly shortens?: true;
}

/** The columns in the order of tables: those with long texts last. */
export function orderForTable<T>(columns: readonly TableColumn<T>[]): TableColumn<T>[] {
  return [...columns.filter(({ last }) => !last), ...columns.filter(({ last }) => last)];
}

/** Shown for null in a table. A word would be repeated too often by a screen reader. */
export const EMPTY = "-";

/** The text of a table cell, without control characters. */
export function cellText<T>(
  column: TableColumn<T>,
  value: CellValue,
  row: T,
  options: RenderOptions,
): string {
  if (value === null) return EMPTY;
  if (column.format) return cleanLine(column.format(value, options, row));
  return typeof value === "number" ? formatNumber(value, options) : cleanLine(value);
}

/** The alignment of a column, by default from the type of its values. */
export function resolveAlign<T>(column: TableColumn<T>, values: readonly CellValue[]): "left" | "right" {
  if (column.align) return column.align;
  const known = values.filter((value) => value !== null);
  return known.length > 0 && known.every((value) => typeof value === "number") ? "right" : "left";
}
