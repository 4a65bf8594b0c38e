/** NDJSON and CSV: a line a row, as UTF-8. */
import type { ExportColumn, ExportValue } from "../column.ts";
import type { ByteSink, Encoder, TextSanitizer } from "./encoder.ts";

type TextFileColumns = readonly ExportColumn<unknown>[];

/** An object a line, its fields in the order of the columns; null where nothing is known. */
export function createNdjsonEncoder(columns: TextFileColumns, sink: ByteSink, rules: TextSanitizer): Encoder {
  const keys = columns.map(({ name }, at) => `${at === 0 ? "{" : ","}${JSON.stringify(name)}:`);
  const lineOf = (row: readonly ExportValue[]) => {
    let line = "";
    for (const [at, key] of keys.entries()) line += key + JSON.stringify(row[at]);
    return `${line}}\n`;
  };
  return {
    write: (rows) => sink(Buffer.from(rules.json(rows.map(lineOf).join("")))),
    finish: async () => {},
  };
}

/** A header of the columns' names, then a record a row: null as nothing, JSON as text. */
export function createCsvEncoder(columns: TextFileColumns, sink: ByteSink, rules: TextSanitizer): Encoder {
  let headed = false;
  const cellOf = (value: ExportValue, at: number) =>
    value !== null && columns[at]?.type === "json"
      ? rules.json(JSON.stringify(value))
      : (value as string | number | null);
  const write = async (rows: readonly (readonly ExportValue[])[]) => {
    const header = headed ? [] : [columns.map(({ name }) => name)];
    headed = true;
    await sink(Buffer.from(rules.csv([...header, ...rows.map((row) => row.map(cellOf))])));
  };
  return { write, finish: async () => (headed ? undefined : await write([])) };
}
