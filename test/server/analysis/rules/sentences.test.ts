/** Formatting of sentences: ends and lists. */
import { expect, it } from "vitest";
import { endSentence, joinWithAnd } from "../../../../src/server/insights/wording.ts";

it("ends sentences once, even after a quotation", () => {
  const ends = ["Failed", "Failed.", "Why?", "“Why?”", "“So”", "“cut…”", ""].map(endSentence);
  expect(ends).toEqual(["Failed.", "Failed.", "Why?", "“Why?”", "“So”.", "“cut…”", "."]);
});

it("joins lists with and", () => {
  expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(joinWithAnd)).toEqual([
    "",
    "a",
    "a and b",
    "a, b and c",
  ]);
});
