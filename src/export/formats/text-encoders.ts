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
  const cells = keys.map(() => createCellFormat());
  return {
    async write(rows) {
      let lines = "";
      for (const row of rows) {
        for (let index = 0; index < keys.length; index += 1)
          lines += (keys[index] ?? "") + (cells[index]?.(row[index]) ?? "");
        lines += "}\n";
      }
      await sink(Buffer.from(sanitizer.json(lines)));
    },
    finish: async () => {},
  };
}

/** Creates a function that returns the JSON of a value. Neighboring rows often have the same text, which is encoded once. */
function createCellFormat(): (value: ExportValue) => string {
  let [last, json]: [ExportValue, string] = [null, "null"];
  return (value) => {
    if (value !== last) [last, json] = [value, JSON.stringify(value)];
    return json;
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
