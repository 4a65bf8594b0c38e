/** Sentences of rules: their ends, their lists and how often. */
import { expect, it } from "vitest";
import { endSentence, formatTimes, joinWithAnd } from "../../../../src/server/insights/wording.ts";

it("sentences end once, also where a quotation ends them", () => {
  const ends = ["Failed", "Failed.", "Why?", "“Why?”", "“So”", "“cut…”", ""].map(endSentence);
  expect(ends).toEqual(["Failed.", "Failed.", "Why?", "“Why?”", "“So”.", "“cut…”", "."]);
});

it("lists end in a word", () => {
  expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(joinWithAnd)).toEqual([
    "",
    "a",
    "a and b",
    "a, b and c",
  ]);
});

it("says how often", () => expect([1, 2, 3].map(formatTimes)).toEqual(["once", "twice", "3 times"]));
