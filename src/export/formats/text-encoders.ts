/** NDJSON and CSV: one line per row, in UTF-8. */
import type { ExportColumn, ExportValue } from "../column.ts";
import type { ByteSink, Encoder, TextSanitizer } from "./encoder.ts";

type TextFileColumns = readonly ExportColumn<unknown>[];

/** One JSON object per line, with fields in the order of the columns. */
export function createNdjsonEncoder(
  columns: TextFileColumns,
  sink: ByteSink,
  sanitizer: TextSanitizer,
): Encoder {
  const keys = columns.map(({ name }, index) => `${index === 0 ? "{" : ","}${JSON.stringify(name)}:`);
  const formatLine = (row: readonly ExportValue[]) => {
    let line = "";
    for (const [index, key] of keys.entries()) line += key + JSON.stringify(row[index]);
    return `${line}}\n`;
  };
  return {
    write: (rows) => sink(Buffer.from(sanitizer.json(rows.map(formatLine).join("")))),
    finish: async () => {},
  };
}

/** A header with the column names, then one record per row. Null is an empty field; JSON is text. */
export function createCsvEncoder(
  columns: TextFileColumns,
  sink: ByteSink,
  sanitizer: TextSanitizer,
): Encoder {
  let hasHeader = false;
  const formatCell = (value: ExportValue, index: number) =>
    value !== null && columns[index]?.type === "json"
      ? JSON.stringify(value)
      : (value as string | number | null);
  const write = async (rows: readonly (readonly ExportValue[])[]) => {
    const header = hasHeader ? [] : [columns.map(({ name }) => name)];
    hasHeader = true;
    await sink(Buffer.from(sanitizer.csv([...header, ...rows.map((row) => row.map(formatCell))])));
  };
  return { write, finish: async () => (hasHeader ? undefined : await write([])) };
}
