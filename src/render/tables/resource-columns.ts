/** The columns and details of lists, from their definitions in the contract. */
import { type CellValue, type FieldColumn, type Resource, readField } from "../../contract/resource.ts";
import type { TableColumn } from "../columns.ts";
import { cellText } from "../columns.ts";
import type { Detail } from "../details.ts";
import type { RenderOptions } from "../options.ts";
import { formatDuration, formatTime } from "../time.ts";
import { formatBuild } from "./columns.ts";

type Columns<Row> = Pick<Resource<Row>, "columns">;

/** The columns of a list, in the order of tables. */
export function toColumns<Row>({ columns }: Columns<Row>): TableColumn<Row>[] {
  return Object.entries(columns)
    .filter(([, { wide }]) => wide !== "details")
    .map(([key, column]) => toColumn(key, column));
}

function toColumn<Row>(key: string, column: FieldColumn<Row>): TableColumn<Row> {
  const { header, kind, format, tone, wide, groups, shrink, minWidth } = column;
  const { value = (row) => readCell(row, key) } = column;
  return {
    ...{ key, header, value: (row) => value(row) ?? null },
    ...(kind && formats[kind]),
    ...(format && { format: (_value, _options, row) => format(row) }),
    ...(tone && { style: tone }),
    ...(wide && { wide: true }),
    ...(groups && { dropsConstant: true }),
    ...(shrink !== undefined && { shrink }),
    ...(minWidth !== undefined && { minWidth }),
    ...(column.yields && { yields: true }),
    ...(column.last && { last: true }),
  };
}

const formats: Readonly<
  Record<NonNullable<FieldColumn<never>["kind"]>, Pick<TableColumn<unknown>, "align" | "format" | "shortens">>
> = {
  time: { align: "left", format: (ms, options) => formatTime(Number(ms), options) },
  duration: { align: "right", format: (seconds) => formatDuration(Number(seconds)) },
  milliseconds: { align: "right", format: (ms) => formatDuration(Number(ms) / 1000) },
  id: { shortens: true },
  build: { format: formatBuild },
  hundredths: { format: (number) => Number(number).toFixed(2) },
};

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
