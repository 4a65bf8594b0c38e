/** Parquet files with hostile texts and numbers, read with DuckDB: every value comes back, also through filters. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { double, type ExportColumn, int64, json, string, timestamp } from "../../src/export/column.ts";
import { createParquetEncoder } from "../../src/export/formats/parquet.ts";
import { freshFolder } from "../harness.ts";
import { queryDuckDb } from "./export-fixtures.ts";

const texts = [
  "",
  "plain",
  `"quotes" 'quotes' \`ticks\` "" ''`,
  "NUL \0 and \u0001 and \u007f and \u0085",
  "x".repeat(60_000),
  "é".repeat(60_000),
  "lone \ud800 and \udc00",
  "]]> </script><script>alert(1)</script> &#0; <!-- -->",
  "\u202e bidi \u2066 \u200f",
  "lines\nlines\r\nlines\u2028\u2029",
  "\u{1f600}",
  "\uffff",
  "\ufffd",
  "\ue000",
  "=1+1",
  "a.b.c[0]",
  "__proto__",
];

async function writeParquet<T>(columns: readonly ExportColumn<T>[], rows: readonly T[]): Promise<string> {
  const chunks: Uint8Array[] = [];
  const encoder = createParquetEncoder(
    columns as readonly ExportColumn<unknown>[],
    async (bytes) => void chunks.push(bytes),
    "test",
  );
  await encoder.write(rows.map((row) => columns.map((column) => column.value(row))));
  await encoder.finish();
  const folder = freshFolder();
  const file = join(folder, "hostile.parquet");
  writeFileSync(file, Buffer.concat(chunks));
  return file;
}

/** Parquet stores UTF-8, which has no lone surrogates. */
const toStored = (text: string) => Buffer.from(text).toString("utf8");
const toSql = (text: string) =>
  [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");

test("hostile texts come back, and filters find each of them", async () => {
  const file = await writeParquet<string>(
    [string("text", "", (text) => text), json("json", "", (text) => ({ [text]: text }))],
    texts,
  );
  const rows = await queryDuckDb(
    `select hex(encode(text)) as text, hex(encode(json)) as json from '${file}'`,
  );
  const decode = (value: unknown) => Buffer.from(String(value), "hex").toString("utf8");
  expect(rows.map((row) => decode(row.text))).toEqual(texts.map(toStored));
  expect(rows.map((row) => JSON.parse(decode(row.json)))).toEqual(texts.map((text) => ({ [text]: text })));
  for (const text of texts) {
    const where = `text = decode('${toSql(toStored(text))}'::blob)`;
    const [found] = await queryDuckDb(`select count(*) as n from '${file}' where ${where}`);
    expect([text.slice(0, 40), found?.n]).toEqual([text.slice(0, 40), "1"]);
  }
});

test.each([
  ["\u{1f600}", "\ue000"],
  ["\uffff", "\u{10ffff}"],
  ["\ud800", "z"],
])("filters find both of two texts whose order differs between UTF-16 and UTF-8", async (...pair) => {
  const file = await writeParquet<string>([string("text", "", (text) => text)], pair);
  for (const text of pair) {
    const where = `text = decode('${toSql(toStored(text))}'::blob)`;
    const [found] = await queryDuckDb(`select count(*) as n from '${file}' where ${where}`);
    expect(found?.n).toBe("1");
  }
});

test("extreme numbers come back, and filters find each of them", async () => {
  const numbers = [Number.NaN, 1, -0, 0, 1e308, -1e308, 5e-324, Infinity, -Infinity];
  for (const order of [numbers, [...numbers].reverse()]) {
    const file = await writeParquet<number>([double("value", "", (value) => value)], order);
    const rows = await queryDuckDb(`select value::varchar as value from '${file}'`);
    expect(rows).toHaveLength(order.length);
    for (const [literal, count] of [
      ["1e308", "1"],
      ["1", "1"],
      ["0", "2"],
      ["'nan'::double", "1"],
      ["'infinity'::double", "1"],
      ["'-infinity'::double", "1"],
      ["5e-324", "1"],
    ]) {
      const [found] = await queryDuckDb(`select count(*) as n from '${file}' where value = ${literal}`);
      expect([order[0], literal, found?.n]).toEqual([order[0], literal, count]);
    }
  }
});

test("the largest whole numbers and times come back, and others are refused", async () => {
  const columns = [
    int64("value", "", (value: number) => value),
    timestamp("at", "", (value: number) => value),
  ];
  const values = [0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 8.64e15];
  const file = await writeParquet<number>(columns, values);
  const rows = await queryDuckDb(`select value::varchar as value from '${file}'`);
  expect(rows.map((row) => Number(row.value))).toEqual(values);
  for (const value of [0.5, 1e308, Number.NaN, Infinity, 2 ** 53]) {
    await expect(writeParquet<number>(columns, [value])).rejects.toThrow("requires whole numbers");
  }
});
