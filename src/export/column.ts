/** What a column of an exported dataset is: the one description that files, manifests and docs are made from. */

/** How a value is stored: `timestamp` is unix ms in text formats and a UTC timestamp in Parquet, `json` any JSON. */
export type ColumnType = "string" | "int64" | "double" | "timestamp" | "json";

/** What a column holds of a row; null where nothing is known. Only `json` columns hold more than text and numbers. */
export type Value = unknown;

export interface Column<T> {
  readonly name: string;
  readonly type: ColumnType;
  /** Such as `ms` or `s`; null where the value has none. */
  readonly unit: string | null;
  readonly describe: string;
  value(row: T): Value;
}

/** A column of the given type; undefined values become null. */
function columnOf(type: ColumnType) {
  return <T>(
    name: string,
    describe: string,
    value: (row: T) => Value,
    unit: string | null = null,
  ): Column<T> => ({ name, type, unit, describe, value: (row) => value(row) ?? null });
}

export const string = columnOf("string");
export const int64 = columnOf("int64");
export const double = columnOf("double");
export const json = columnOf("json");

/** A time in unix ms, UTC. */
export function timestamp<T>(name: string, describe: string, value: (row: T) => Value): Column<T> {
  return columnOf("timestamp")(name, describe, value, "unix ms, UTC");
}
