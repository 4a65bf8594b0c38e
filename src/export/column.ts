/** Columns of exported datasets. Files, manifests and docs are generated from these definitions. */

/** How a value is stored. `timestamp` is unix ms in text formats and a UTC timestamp in Parquet; `json` is any JSON. */
export type ColumnType = "string" | "int64" | "double" | "timestamp" | "json";

/** The value of a column; null if unknown. Only `json` columns have values other than strings and numbers. */
export type ExportValue = unknown;

export interface ExportColumn<T> {
  readonly name: string;
  readonly type: ColumnType;
  /** Such as `ms` or `s`; null if the value has no unit. */
  readonly unit: string | null;
  readonly describe: string;
  value(row: T): ExportValue;
}

/** A column of the given type; undefined values become null. */
function defineColumn(type: ColumnType) {
  return <T>(
    name: string,
    describe: string,
    value: (row: T) => ExportValue,
    unit: string | null = null,
  ): ExportColumn<T> => ({ name, type, unit, describe, value: (row) => value(row) ?? null });
}

export const string = defineColumn("string");
export const int64 = defineColumn("int64");
export const double = defineColumn("double");
export const json = defineColumn("json");

/** A time in unix ms, UTC. */
export function timestamp<T>(
  name: string,
  describe: string,
  value: (row: T) => ExportValue,
): ExportColumn<T> {
  return defineColumn("timestamp")(name, describe, value, "unix ms, UTC");
}
