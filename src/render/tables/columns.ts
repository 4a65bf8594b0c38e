/** The columns and details of lists, from their definitions in the contract. */
import { UNKNOWN_BUILD } from "../../contract/fields.ts";
import { type CellValue, type FieldColumn, type Resource, readField } from "../../contract/resource.ts";
import type { TableColumn } from "../columns.ts";
import { cellText } from "../columns.ts";
import type { Detail } from "../details.ts";
import { formatShare } from "../numbers.ts";
import type { RenderOptions } from "../options.ts";
import { formatDay, formatDuration, formatTime } from "../time.ts";

/** A build as lists show it. Sessions without a version belong to none. */
export const formatBuild = (build: string | number): string =>
  build === UNKNOWN_BUILD ? "-" : String(build);

type Columns<Row> = Pick<Resource<Row>, "columns">;

/** How values read: those of the definitions of lists, the start of a UTC day in unix ms, and a share from 0 to 1. */
const formats = {
  time: { align: "left", format: (ms, options) => formatTime(Number(ms), options) },
  day: { align: "left", format: (ms, options) => formatDay(Number(ms), options) },
  duration: { align: "right", format: (seconds) => formatDuration(Number(seconds)) },
  milliseconds: { align: "right", format: (ms) => formatDuration(Number(ms) / 1000) },
  id: { shortens: true },
  build: { format: formatBuild },
  hundredths: { format: (number) => Number(number).toFixed(2) },
  share: { align: "right", format: (share) => formatShare(Number(share)) },
} as const satisfies Readonly<Record<string, Pick<TableColumn<unknown>, "align" | "format" | "shortens">>>;

/** A column as the definitions of lists have it, with what only other tables need. */
interface TableField<Row> extends Omit<FieldColumn<Row>, "kind" | "link" | "linked"> {
  readonly kind?: keyof typeof formats;
  readonly align?: "left" | "right";
  readonly wrap?: true;
}

/** The columns of a list, in the order of tables. */
export function toColumns<Row>({ columns }: Columns<Row>): TableColumn<Row>[] {
  return defineColumns(columns);
}

/** The columns of a table, by the name of the field or a dotted path. */
export function defineColumns<Row>(columns: Readonly<Record<string, TableField<Row>>>): TableColumn<Row>[] {
  return Object.entries(columns)
    .filter(([, { wide }]) => wide !== "details")
    .map(([key, column]) => toColumn(key, column));
}

function toColumn<Row>(key: string, column: TableField<Row>): TableColumn<Row> {
  const { header, kind, align, format, tone, wide, groups, shrink, minWidth } = column;
  const { value = (row) => readCell(row, key) } = column;
  return {
    ...{ key, header, value: (row) => value(row) ?? null },
    ...(kind && formats[kind]),
    ...(align && { align }),
    ...(format && { format: (_value, _options, row) => format(row) }),
    ...(tone && { style: tone }),
    ...(wide && { wide: true }),
    ...(groups && { dropsConstant: true }),
    ...(shrink !== undefined && { shrink }),
    ...(minWidth !== undefined && { minWidth }),
    ...(column.wrap && { wrap: true }),
    ...(column.yields && { yields: true }),
    ...(column.last && { last: true }),
  };
}

/** The text or number of a field; undefined for any other value. */
function readCell(row: unknown, path: string): CellValue | undefined {
  const value = readField(row, path);
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}

/** The details of one item, with the named columns in this order. */
export function toDetails<Row>(
  { columns }: Columns<Row>,
  keys: readonly string[],
  row: Row,
  options: RenderOptions,
): Detail[] {
  return keys.flatMap((key, index): Detail[] => {
    const definition = columns[key];
    if (definition === undefined) return [];
    const column = toColumn(key, definition);
    const value = column.value(row);
    const text = value !== null && column.format ? cellText(column, value, row, options) : value;
    return [index === 0 ? [toTitle(column.header), text, "strong"] : [toTitle(column.header), text]];
  });
}

/** A header of a table, such as `LAST SEEN`, as it is written as a label. */
export const toTitle = (header: string) =>
  /^[A-Z0-9][A-Z0-9% ()-]*$/.test(header) && header !== "ID"
    ? header.charAt(0) + header.slice(1).toLowerCase()
    : header;

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
