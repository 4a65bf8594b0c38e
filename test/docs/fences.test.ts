/** The fenced blocks of pages: how they are read, compared with actual output, and renewed. */
import { describe, expect, test } from "vitest";
import { outputLines, outputMatches, readConsole, readFences, renewOutput, replaceFences } from "./fences.ts";

const page = [
  "# Page",
  "",
  "```sh exit=10",
  "playtest gate a b",
  "```",
  "",
  "- Item:",
  "  ```console",
  "  $ first",
  "  output",
  "  ```",
  "",
].join("\n");

test("fences have a language, other words, content and lines", () => {
  expect(readFences(page)).toEqual([
    { language: "sh", info: "exit=10", content: "playtest gate a b", line: 3, endLine: 5, indent: 0 },
    { language: "console", info: "", content: "$ first\noutput", line: 8, endLine: 11, indent: 2 },
  ]);
});

test("console blocks consist of commands and their output", () => {
  expect(readConsole("$ first\none\n\ntwo\n$ second \\\n  --flag\nthree")).toEqual([
    { command: "first", output: ["one", "", "two"] },
    { command: "second \\\n  --flag", output: ["three"] },
  ]);
  expect(() => readConsole("output")).toThrow("does not begin with a command: output");
});

test("spaces at the ends of lines and empty lines around output do not count", () => {
  expect(outputLines("\n a  \n\nb\n\n")).toEqual([" a", "", "b"]);
  expect(outputLines("\n")).toEqual([]);
});

describe("shown output matches", () => {
  test.each([
    ["the same lines", ["a", "b"], ["a", "b"], true],
    ["no other line", ["a", "b"], ["a", "c"], false],
    ["no additional line", ["a"], ["a", "b"], false],
    ["no missing line", ["a", "b"], ["a"], false],
    ["no output if it shows none", [], ["a"], false],
    ["any text for ... in a line", ["id ..., (x)"], ["id 1 2, (x)"], true],
    ["only that text for ... in a line", ["id ..., (x)"], ["id 1 2, (y)"], false],
    ["any lines for a line ...", ["a", "...", "d"], ["a", "b", "c", "d"], true],
    ["no lines for a line ...", ["a", "...", "d"], ["a", "d"], true],
    ["the line after a line ...", ["a", "...", "d"], ["a", "b"], false],
    ["the rest for ... at the end", ["a", "..."], ["a", "b", "c"], true],
  ])("%s", (_what, shown, actual, matches) => {
    expect(outputMatches(shown, actual)).toBe(matches);
  });
});

describe("renewed output", () => {
  test("is unchanged where it matches", () => {
    expect(renewOutput(["a", "...", "c"], ["a", "b", "c"])).toEqual(["a", "...", "c"]);
  });

  test("keeps patterns for the lines that still match them", () => {
    expect(renewOutput(["old", "id ..."], ["new", "id 12"])).toEqual(["new", "id ..."]);
  });

  test("is cut after as many lines as before", () => {
    expect(renewOutput(["old", "b", "..."], ["new", "b", "c", "d"])).toEqual(["new", "b", "..."]);
    expect(renewOutput(["old", "b", "..."], ["new"])).toEqual(["new"]);
  });
});

test("new content replaces only the content of its fence, with its indentation", () => {
  const renewed = replaceFences(page, new Map([[8, "$ first\n\nnew\noutput"]]));
  expect(renewed).toBe(page.replace("  output\n", "\n  new\n  output\n"));
});
