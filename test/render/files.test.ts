/** CSV and Markdown output: escaping of formulas and markup. */

import { describe, expect, it } from "vitest";
import type { CellValue, TableColumn } from "../../src/render/columns.ts";
import { renderCsv } from "../../src/render/csv.ts";
import { escapeMarkdown, renderMarkdown } from "../../src/render/markdown.ts";
import { cleanBlock } from "../../src/render/text.ts";
import { formatDuration, formatTime } from "../../src/render/time.ts";
import fc from "../property.ts";
import { forbiddenIn, hostileText } from "./samples.ts";

const oneColumn: ReadonlyArray<TableColumn<CellValue>> = [
  { key: "value", header: "VALUE", value: (value) => value },
];
const twoColumns: ReadonlyArray<TableColumn<readonly [CellValue, CellValue]>> = [
  { key: "a.b", header: "A", value: ([first]) => first },
  { key: "c", header: "C", value: ([, second]) => second, format: () => "only for tables", wide: true },
];
const options = { width: 80, color: 0, plain: false, wide: false, tty: false, now: 0, tz: "UTC" } as const;
/** The same columns without formatting. */
const unformatted = twoColumns.map(({ format: _format, ...column }) => column);
const csvOf = (value: CellValue) => parseCsv(renderCsv([value], oneColumn, ","), ",")[1]?.[0];

/** Parses CSV (RFC 4180 with LF). */
function parseCsv(text: string, delimiter: string): string[][] {
  const records: string[][] = [];
  let fields: string[] = [];
  for (let at = 0; at < text.length; ) {
    let field = "";
    if (text[at] === '"') {
      const end = /^"((?:[^"]|"")*)"/.exec(text.slice(at));
      field = (end?.[1] ?? "").replaceAll('""', '"');
      at += end?.[0].length ?? 1;
    } else {
      const end = text.slice(at).search(new RegExp(`[${delimiter}\n]`));
      field = text.slice(at, at + end);
      at += end;
    }
    fields.push(field);
    if (text[at] === "\n") {
      records.push(fields);
      fields = [];
    }
    at += 1;
  }
  return records;
}

describe("renderCsv", () => {
  it("writes a header of keys, ends records with LF and leaves null empty", () => {
    const rows = [
      ["x,y", -5],
      ['say "hi"', 0.25],
      [null, "two\nlines"],
    ] as const;
    expect(renderCsv(rows, twoColumns, ",")).toBe('"a.b","c"\n"x,y",-5\n"say ""hi""",0.25\n,"two\nlines"\n');
    expect(renderCsv(rows.slice(0, 1), twoColumns, "\t")).toBe("a.b\tc\nx,y\t-5\n");
  });

  it.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-5", "'-5"],
    ["@sum", "'@sum"],
    ["  =1", "'  =1"],
    ["\u00a0=1", "'\u00a0=1"],
    ["\t=1", "\\t'=1"],
    ["\r=1", "\\r'=1"],
    ["\n=1", "\n'=1"],
    ['"=1', "'\"=1"],
    ["a;=1", "a;'=1"],
    ["a; =1;b", "a;' =1;b"],
    ['a;"=1', "a;'\"=1"],
    ["a|+1", "a|'+1"],
    ["a,@b", "a,'@b"],
    ["a\n-1", "a\n'-1"],
    ["'=1", "''=1"],
    ["::error::x", "'::error::x"],
    ["a\n ::error::x", "a\n' ::error::x"],
    ["##[error]x", "##\\[error]x"],
    ["a: b; c-d, e=f", "a: b; c-d, e=f"],
    ["＝1", "'＝1"],
    ["＋1", "'＋1"],
    ["－1", "'－1"],
    ["＠x", "'＠x"],
    ["a=1", "a=1"],
    ["'quoted", "'quoted"],
    ["1-2", "1-2"],
  ])("escapes %j so that it is not a formula", (text, expected) => {
    expect(csvOf(text)).toBe(expected);
  });

  it.each([-5, 0, 1e21, -0.5])("writes the number %d unquoted", (value) => {
    expect(renderCsv([value], oneColumn, ",")).toBe(`"value"\n${value}\n`);
  });

  it("escapes hostile keys", () => {
    const hostile = [{ key: "=cmd()\x1b", header: "x", value: () => 1 }];
    expect(renderCsv([0], hostile, ",")).toBe('"\'=cmd()\\x1b"\n1\n');
  });

  it("round-trips cleaned text, and contains no formulas or control characters", () => {
    const pair = fc.tuple(hostileText, hostileText);
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1 }), fc.constantFrom(",", "\t"), (rows, delimiter) => {
        const text = renderCsv(rows, twoColumns, delimiter);
        expect(forbiddenIn(text, "\n\t\u200d")).toEqual([]);
        const records = parseCsv(text, delimiter).slice(1);
        const withoutMarks = (field: string) => field.replace(/['\\]/g, "");
        expect(records.map((record) => record.map(withoutMarks))).toEqual(
          rows.map((row) => row.map((field) => withoutMarks(cleanBlock(field)))),
        );
        for (const field of records.flat()) expect(field.normalize("NFKC")).not.toMatch(/^\s*[=+\-@]/);
      }),
    );
  });
});

describe("renderMarkdown", () => {
  it("aligns numbers to the right", () => {
    const rows = [
      ["plain", 12345],
      [null, -1],
    ] as const;
    expect(`\n${renderMarkdown(rows, unformatted, options)}`).toMatchInlineSnapshot(`
      "
      | A | C |
      | --- | ---: |
      | plain | 12345 |
      |  | -1 |
      "
    `);
  });

  it("formats times and durations as in a file", () => {
    const columns: TableColumn<number>[] = [
      { key: "at", header: "AT", value: (ms) => ms, format: (ms, to) => formatTime(Number(ms), to) },
      { key: "long", header: "LONG", value: (ms) => ms / 1000, format: (sec) => formatDuration(Number(sec)) },
    ];
    const text = renderMarkdown([3_600_000], columns, { ...options, tty: true });
    expect(text).toContain("| 1970-01-01T01:00:00Z | 1h 00m |");
  });

  it.each([
    ["a|b", "a\\|b"],
    ["`code`", "\\`code\\`"],
    ["<img src=x>", "&lt;img src=x&gt;"],
    ["&lt;", "&amp;lt;"],
    ["[x](http://evil)", "\\[x\\](http:<!-- -->//evil)"],
    ["![x](y)", "\\!\\[x\\](y)"],
    ["www.evil.test", "www<!-- -->.evil.test"],
    ["@owner", "@<!-- -->owner"],
    ["#12", "#<!-- -->12"],
    ["two\nlines", "two<br>lines"],
    ["\\|", "\\\\\\|"],
    ["**bold** _it_ snake_case", "\\*\\*bold\\*\\* \\_it\\_ snake_case"],
    ["level-09: $x$", "level-09: \\$x\\$"],
  ])("escapes %j", (text, expected) => {
    expect(escapeMarkdown(text)).toBe(expected);
  });

  it("escapes any text, so that it contains no HTML, code, links or mentions", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(hostileText, hostileText)), (rows) => {
        const text = renderMarkdown(rows, unformatted, options);
        expect(forbiddenIn(text, "\n\u200d")).toEqual([]);
        const lines = text.trimEnd().split("\n");
        expect(lines).toHaveLength(rows.length + 2);
        for (const line of lines) {
          const bare = line
            .replaceAll("<br>", "")
            .replaceAll("<!-- -->", "\0")
            .replace(/\\[\\`*|[\]~$!{}_]/g, "");
          expect(bare.split("|")).toHaveLength(4);
          expect(bare).not.toMatch(/[`*<>[\]]|@(?!\0)|:\/\/|&(?!amp;|lt;|gt;)/);
        }
      }),
    );
  });
});
