/** NDJSON and CSV: a line a row, as UTF-8. */
import type { Column, Value } from "../column.ts";
import type { Encoder, Sink, TextRules } from "./encoder.ts";

type Columns = readonly Column<unknown>[];

/** An object a line, its fields in the order of the columns; null where nothing is known. */
export function ndjsonEncoder(columns: Columns, sink: Sink, rules: TextRules): Encoder {
  const keys = columns.map(({ name }, at) => `${at === 0 ? "{" : ","}${JSON.stringify(name)}:`);
  const lineOf = (row: readonly Value[]) => {
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
export function csvEncoder(columns: Columns, sink: Sink, rules: TextRules): Encoder {
  let headed = false;
  const cellOf = (value: Value, at: number) =>
    value !== null && columns[at]?.type === "json"
      ? rules.json(JSON.stringify(value))
      : (value as string | number | null);
  const write = async (rows: readonly (readonly Value[])[]) => {
    const header = headed ? [] : [columns.map(({ name }) => name)];
    headed = true;
    await sink(Buffer.from(rules.csv([...header, ...rows.map((row) => row.map(cellOf))])));
  };
  return { write, finish: async () => (headed ? undefined : await write([])) };
}
