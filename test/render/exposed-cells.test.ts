/** A CSV or TSV file contains no formula and no CI command, also for a program that splits its cells in another way. */
import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import type { CellValue, TableColumn } from "../../src/render/columns.ts";
import { csvJsonCell, csvRecords, csvTextCell, renderCsv } from "../../src/render/csv.ts";
import fc from "../property.ts";
import { ciCommandsIn } from "./ci-commands.ts";
import { hostileText } from "./samples.ts";

type Row = readonly [CellValue, CellValue, CellValue];
const columns: ReadonlyArray<TableColumn<Row>> = [0, 1, 2].map((at) => ({
  key: `c${at}`,
  header: "",
  value: (row) => row[at] ?? null,
}));

const SEPARATORS = [",", ";", "\t", "|", "\n"] as const;
const PIECES = [
  ...SEPARATORS,
  ...["=1+1", "+1", "-2+3", "@SUM(A1)", "＝1", "−1", '"', '""', "'", " ", "\u00a0", "\r\n", "\\", "x"],
  ...["::error::x", "##[error]x", "##vso[task.complete]", "##teamcity[buildStop]", "\u2028", "\ufeff"],
];
const text = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join("")),
  hostileText,
);
const cell = fc.oneof({ weight: 4, arbitrary: text }, fc.constantFrom<CellValue>(null, 5, -5, -0.5, 1e21));
const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 4 });
const formats = fc.constantFrom(",", "\t");

/** Whether a spreadsheet may run a cell. A negative number may be the whole cell, or the first cell of its record. */
function isFormula(field: string): boolean {
  const start = field.replace(/^[\s"]+/, "");
  return (
    /^[=+\-@\u2212]/.test(start.slice(0, 1).normalize("NFKC")) &&
    !/^-\d+(\.\d+)?(e[+-]\d+)?"*([,\t\n]|$)/.test(start)
  );
}

describe("a file of untrusted text", () => {
  it.each(SEPARATORS)(
    "contains no formula for a program that splits it at %j and ignores quotes",
    (separator) => {
      fc.assert(
        fc.property(rows, formats, (data, delimiter) => {
          const fields = renderCsv(data, columns, delimiter)
            .split("\n")
            .flatMap((line) => line.split(separator));
          expect(fields.filter(isFormula)).toEqual([]);
        }),
      );
    },
  );

  it("contains no formula for a program that splits it at every separator", () => {
    fc.assert(
      fc.property(rows, formats, (data, delimiter) => {
        const fields = renderCsv(data, columns, delimiter).split(/[,;\t|\n]/);
        expect(fields.filter(isFormula)).toEqual([]);
      }),
    );
  });

  it.each([",", ";", "\t", "|"])(
    "contains no formula for a spreadsheet whose list separator is %j",
    (separator) => {
      fc.assert(
        fc.property(rows, formats, (data, delimiter) => {
          const file = renderCsv(data, columns, delimiter);
          const { data: records } = Papa.parse<string[]>(file, { delimiter: separator, newline: "\n" });
          const fields = records.flat().flatMap((field) => [field, ...field.split("\n")]);
          expect(fields.filter(isFormula)).toEqual([]);
        }),
      );
    },
  );

  it("contains no CI command, neither in its lines nor in those of a cell", () => {
    fc.assert(
      fc.property(rows, formats, (data, delimiter) => {
        const file = renderCsv(data, columns, delimiter);
        const { data: records } = Papa.parse<string[]>(file, { delimiter, newline: "\n" });
        expect([file, ...records.flat()].flatMap(ciCommandsIn)).toEqual([]);
      }),
    );
  });

  it("detects every character that NFKC normalizes to the start of a formula", () => {
    for (let point = 0x80; point < 0x110000; point++) {
      if (point >= 0xd800 && point < 0xe000) continue;
      const character = String.fromCodePoint(point);
      if (!/^[=+\-@\u2212]$/.test(character.normalize("NFKC"))) continue;
      expect(renderCsv([[`${character}1`, null, null]], columns, ",")).toContain(`"'${character}1"`);
    }
  });
});

describe("JSON in a cell", () => {
  const json = fc.oneof(fc.array(fc.oneof(text, fc.integer())), fc.dictionary(text, text));

  it("has the same value after it was parsed", () => {
    fc.assert(
      fc.property(json, formats, (value, delimiter) => {
        const file = renderCsv([[JSON.stringify(value), null, null]], columns, delimiter);
        const { data: records } = Papa.parse<string[]>(file, { delimiter, newline: "\n" });
        expect(JSON.parse(records[1]?.[0] ?? "")).toEqual(value);
        expect(ciCommandsIn(file)).toEqual([]);
      }),
    );
  });

  it("contains no formula for any list separator, except negative numbers", () => {
    const value = { a: ["=1", "x;=1", -5, '"+1', "＝1"], "@b": "|-1" };
    const file = renderCsv([[JSON.stringify(value), null, null]], columns, ",");
    expect(file.split("\n")[1]).toBe(
      '"{""a"":[""\\u003d1"",""x;\\u003d1"",-5,""\\""+1"",""\\uff1d1""],""\\u0040b"":""|\\u002d1""}",,',
    );
  });

  it("is only recognized in its compact form", () => {
    const file = renderCsv([['{"a": "=1"}', "[=1]", "{"]], columns, ",");
    expect(file.split("\n")[1]).toBe('"{""a"": ""=1""}","[=1]","{"');
  });

  it("is the same if it is written cell by cell", () => {
    const write = (value: CellValue) => csvRecords([[value, null, null] as const], columns.slice(0, 1), ",");
    fc.assert(
      fc.property(text, (value) => {
        expect(`${csvTextCell(value)}\n`).toBe(write(value));
      }),
    );
    const data = fc.dictionary(
      text,
      fc.oneof(text, fc.double({ noNaN: true }), fc.array(text), fc.constant(-1)),
    );
    fc.assert(
      fc.property(fc.oneof(data, fc.array(data), text), (value) => {
        const json = JSON.stringify(value);
        expect(`${csvJsonCell(json)}\n`).toBe(write(json));
      }),
    );
  });
});
