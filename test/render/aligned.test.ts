/** Lines of cells: aligned where they fit the terminal, on several lines where they do not, and never cut. */
import { describe, expect, test } from "vitest";
import { type AlignedCell, alignCells } from "../../src/render/aligned.ts";
import { displayWidth } from "../../src/render/text.ts";
import fc from "../property.ts";
import { forbiddenIn, hostileText, terminal } from "./samples.ts";

const cells = (...texts: string[]): AlignedCell[] => texts.map((text) => ({ text }));

describe("cells", () => {
  test("stand below each other, without blanks at the end", () => {
    expect(alignCells([cells("a", "long one", "x"), cells("bcd", "", "")], "  ", terminal())).toEqual([
      "  a    long one  x",
      "  bcd",
    ]);
  });

  test("are aligned right on request, by their width on screen", () => {
    const rows = ["1/2", "日本"].map((text): AlignedCell[] => [{ text, align: "right" }, { text: "|" }]);
    expect(alignCells([...rows, cells("12345", "|")], "", terminal())).toEqual([
      "  1/2  |",
      " 日本  |",
      "12345  |",
    ]);
  });

  test("leave no gap for a column that is empty in every row", () => {
    expect(alignCells([cells("a", "", "b"), cells("c", "", "d")], "", terminal())).toEqual(["a  b", "c  d"]);
  });

  test("have no columns without rows", () => {
    expect(alignCells([], "  ", terminal())).toEqual([]);
  });

  test("are painted without a change of their columns", () => {
    const rows = [[{ text: "a", style: "bad" as const }, { text: "b" }], cells("long", "c")];
    const painted = alignCells(rows, "", terminal({ color: 1 }));
    expect(painted[0]).toContain("\u001b[31m");
    expect(painted.map((line) => line.replace(/\u001b\[\d+m/g, ""))).toEqual(
      alignCells(rows, "", terminal()),
    );
  });
});

describe("what does not fit", () => {
  const rows = [
    [{ text: "▲" }, { text: "A title in words", isOptional: true }, ...cells("1/2", "the-tag")],
    [{ text: "=" }, { text: "Another", isOptional: true }, ...cells("10/20", "tag")],
  ];

  test("is first the optional cells, of all rows", () => {
    const wide = alignCells(rows, "  ", terminal({ width: 37 }));
    expect(wide).toEqual(["  ▲  A title in words  1/2    the-tag", "  =  Another           10/20  tag"]);
    expect(alignCells(rows, "  ", terminal({ width: 36 }))).toEqual([
      "  ▲  1/2    the-tag",
      "  =  10/20  tag",
    ]);
  });

  test("is only as many optional columns as it takes, the first ones", () => {
    const row: AlignedCell[] = [
      { text: "A title", isOptional: true },
      { text: "1/2" },
      { text: "kind", isOptional: true },
      { text: "tag" },
    ];
    const at = (width: number) => alignCells([row], "", terminal({ width }));
    expect([at(23), at(22), at(13)]).toEqual([["A title  1/2  kind  tag"], ["1/2  kind  tag"], ["1/2  tag"]]);
  });

  test("is then as many blanks as a row is too wide, and then goes on in the next line", () => {
    expect(alignCells(rows, "  ", terminal({ width: 18 }))).toEqual([
      "  ▲  1/2   the-tag",
      "  =  10/20  tag",
    ]);
    expect(alignCells(rows, "  ", terminal({ width: 15 }))).toEqual([
      "  ▲  1/2\n      the-tag",
      "  =  10/20  tag",
    ]);
  });

  test("begins at the indent, even if the column of its first cell is wider than the terminal", () => {
    const wide = [cells("A label that is wide", "12%"), cells("short", "a cell that is also wide")];
    expect(alignCells(wide, "  ", terminal({ width: 20 }))).toEqual([
      "  A label that\n      is wide  12%",
      "  short\n      a cell that is\n      also wide",
    ]);
  });

  test("is not cut in a pipe, whose columns are only padded to some width", () => {
    const long = "x".repeat(100);
    expect(alignCells([cells(long, "a"), cells("b", "c")], "", terminal({ tty: false, width: 20 }))).toEqual([
      `${long}  a`,
      `b${" ".repeat(59)}  c`,
    ]);
  });

  test("is never wider than the terminal, and loses nothing but optional cells", () => {
    const cell = fc.record({ text: hostileText, isOptional: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 20, max: 120 }),
        (all, width) => {
          const out = alignCells(all, "  ", terminal({ width }));
          expect(out).toHaveLength(all.length);
          for (const line of out.flatMap((row) => row.split("\n")))
            expect(displayWidth(line)).toBeLessThanOrEqual(width);
          expect(forbiddenIn(out.join(""), "\n")).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
    const word = fc.stringMatching(/^[a-z:-]{1,60}$/);
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 20, max: 80 }),
        (words, width) => {
          const out = alignCells([cells(...words)], "  ", terminal({ width })).join("");
          expect(out.replace(/\s/g, "")).toBe(words.join(""));
        },
      ),
      { numRuns: 200 },
    );
  });
});
