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
  const formatRow = createRowFormat(keys.map((key) => (value) => key + JSON.stringify(value)));
  return {
    async write(rows) {
      let lines = "";
      for (const row of rows) lines += `${formatRow(row)}}\n`;
      await sink(Buffer.from(sanitizer.json(lines)));
    },
    finish: async () => {},
  };
}

/** A header with the column names, then one record per row. Null is an empty field; JSON is text. */
export function createCsvEncoder(
  columns: TextFileColumns,
  sink: ByteSink,
  sanitizer: TextSanitizer,
): Encoder {
  const header = columns.map(({ name }) => sanitizer.csvText(name)).join(",");
  const formatRow = createRowFormat(
    columns.map(({ type }, index) => {
      const formatCell = type === "json" ? formatJsonCell : formatPlainCell;
      return (value) => (index === 0 ? "" : ",") + (value === null ? "" : formatCell(value, sanitizer));
    }),
  );
  let hasHeader = false;
  const write = async (rows: readonly (readonly ExportValue[])[]) => {
    let lines = hasHeader ? "" : `${header}\n`;
    hasHeader = true;
    for (const row of rows) lines += `${formatRow(row)}\n`;
    await sink(Buffer.from(lines));
  };
  return { write, finish: async () => (hasHeader ? undefined : await write([])) };
}

const formatJsonCell = (value: ExportValue, { csvJson }: TextSanitizer) => csvJson(JSON.stringify(value));
const formatPlainCell = (value: ExportValue, { csvText }: TextSanitizer) =>
  typeof value === "string" ? csvText(value) : String(value);

/** Creates a function that joins the texts of cells. Neighboring rows often have the same value, which is formatted once. */
function createRowFormat(
  formats: readonly ((value: ExportValue) => string)[],
): (row: readonly ExportValue[]) => string {
  const values: ExportValue[] = formats.map(() => undefined);
  const texts = formats.map(() => "");
  return (row) => {
    let line = "";
    for (let index = 0; index < formats.length; index += 1) {
      const value = row[index];
      if (value !== values[index]) {
        values[index] = value;
        texts[index] = formats[index]?.(value) ?? "";
      }
      line += texts[index];
    }
    return line;
  };
}
