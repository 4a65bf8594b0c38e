/** Helpers for table columns. */

import { UNKNOWN_BUILD } from "../../contract/fields.ts";
import type { CellValue, TableColumn } from "../columns.ts";
import type { RenderOptions } from "../options.ts";
import { formatDuration, formatTime } from "../time.ts";

/** A column of times in Unix ms: shown as an age at a terminal, otherwise as ISO 8601. */
export function timeColumn<T>(key: string, header: string, value: (row: T) => number | null): TableColumn<T> {
  return { key, header, value, align: "left", format: (ms, options) => formatTime(Number(ms), options) };
}

/** A column of durations in seconds. */
export function durationColumn<T>(key: string, header: string, value: (row: T) => number): TableColumn<T> {
  return { key, header, value, align: "right", format: (seconds) => formatDuration(Number(seconds)) };
}

/** A column of text. `shrink` is the order in which columns are truncated; a column without it never is. */
export function textColumn<T>(
  key: string,
  header: string,
  value: (row: T) => CellValue,
  shrink?: number,
): TableColumn<T> {
  return { key, header, value, ...(shrink === undefined ? {} : { shrink }) };
}

/** A build as lists show it. Sessions without a version belong to none. */
export const formatBuild = (build: string | number): string =>
  build === UNKNOWN_BUILD ? "-" : String(build);

export const buildColumn = <T>(value: (row: T) => string | null | undefined): TableColumn<T> => ({
  ...textColumn<T>("build", "BUILD", (row) => value(row) ?? null, 2),
  format: formatBuild,
});

/** A column of ids, which tables shorten. Commands accept the short form. */
export function idColumn<T>(key: string, header: string, value: (row: T) => string | null): TableColumn<T> {
  return { key, header, value, shortens: true };
}

/**
 * The same column as one of what a row belongs to, such as its build or status: lists leave it out if all rows have the
 * same value.
 */
export function groupColumn<T>(column: TableColumn<T>): TableColumn<T> {
  return { ...column, dropsConstant: true };
}

/** The same column, shown only with --wide. */
export function wideColumn<T>(column: TableColumn<T>): TableColumn<T> {
  return { ...column, wide: true };
}

/** Adapts columns to rows that contain their value under a key. */
export function prefixColumns<Key extends string, Part>(
  key: Key,
  columns: readonly TableColumn<Part>[],
): TableColumn<Readonly<Record<Key, Part>>>[] {
  type T = Readonly<Record<Key, Part>>;
  const part = (row: T) => row[key];
  return columns.map(({ value, style, format, ...column }) => ({
    ...column,
    key: `${key}.${column.key}`,
    value: (row) => value(part(row)),
    ...(format && {
      format: (text: string | number, options: RenderOptions, row: T) => format(text, options, part(row)),
    }),
    ...(style === undefined
      ? {}
      : { style: typeof style === "function" ? (row: T) => style(part(row)) : style }),
  }));
}
