/** Tests of wrapped sentences. */
import { expect, test } from "vitest";
import { wrapSentence } from "../../src/render/wrap.ts";

test("wraps a sentence at blanks", () => {
  expect(wrapSentence("All rows: build 0.9.0. Use --wide to show all columns.", 24)).toEqual([
    "All rows: build 0.9.0.",
    "Use --wide to show all",
    "columns.",
  ]);
  expect(wrapSentence("short", 24)).toEqual(["short"]);
  expect(wrapSentence("Not a terminal, so the width is not known.", Number.POSITIVE_INFINITY)).toHaveLength(
    1,
  );
});

test("keeps commands and addresses on one line, so that they can be copied", () => {
  const lines = wrapSentence(
    "Use `playtest games list --all` at http://127.0.0.1:4400/ember to see all.",
    20,
  );
  expect(lines).toEqual([
    "Use",
    "`playtest games list --all`",
    "at",
    "http://127.0.0.1:4400/ember",
    "to see all.",
  ]);
});

test("breaks no word at a backquote without a partner", () => {
  expect(wrapSentence("a tag `x y z w with a very long name", 12).join(" ")).toBe(
    "a tag `x y z w with a very long name",
  );
});
