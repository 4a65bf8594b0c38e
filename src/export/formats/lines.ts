/** NDJSON and CSV: a line a row, as UTF-8. */
import type { Column, Value } from "../column.ts";
import type { Encoder, Sink, TextRules } from "./encoder.ts";

type Columns = readonly Column<never>[];

/** An object a line, its fields in the order of the columns; null where nothing is known. */
export function ndjsonEncoder(columns: Columns, sink: Sink, rules: TextRules): Encoder {
  const lineOf = (row: readonly Value[]) =>
    `${rules.json(Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])))}\n`;
  return {
    write: (rows) => sink(Buffer.from(rows.map(lineOf).join(""))),
    finish: async () => {},
  };
}

/** A header of the columns' names, then a record a row: null as nothing, JSON as text. */
export function csvEncoder(columns: Columns, sink: Sink, rules: TextRules): Encoder {
  let headed = false;
  const cellOf = (value: Value, at: number) =>
    value !== null && columns[at]?.type === "json" ? rules.json(value) : (value as string | number | null);
  const write = async (rows: readonly (readonly Value[])[]) => {
    const header = headed ? [] : [columns.map(({ name }) => name)];
    headed = true;
    await sink(Buffer.from(rules.csv([...header, ...rows.map((row) => row.map(cellOf))])));
  };
  return { write, finish: async () => (headed ? undefined : await write([])) };
}
