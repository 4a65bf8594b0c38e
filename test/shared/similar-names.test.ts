/** Suggestions for mistyped names. */
import { expect, test } from "vitest";
import { describeNearest, findNearest, findSimilar, suggestSimilar } from "../../src/shared/similar-names.ts";

test.each([
  ["0.8", ["0.7.0", "0.8.0", "0.9.0"], ["0.8.0"]],
  ["embr", ["ember", "tidepool"], ["ember"]],
  ["Ember", ["ember"], ["ember"]],
  ["prodution", ["staging", "production"], ["production"]],
  ["xyz", ["ember", "tidepool"], []],
  ["x".repeat(201), ["x".repeat(200)], []],
])("%s means one of its neighbors in %j: %j", (word, known, similar) => {
  expect(findSimilar(word, known)).toEqual(similar);
});

test("suggests the similar names, or else lists what exists", () => {
  expect(suggestSimilar("0.80", ["0.8.0", "0.9.0"], "builds")).toBe("Did you mean 0.8.0?");
  expect(suggestSimilar("demo", ["demo1", "demo2"], "games")).toBe("Did you mean demo1 or demo2?");
  expect(suggestSimilar("x", ["ember", "tide"], "games")).toBe("The games are ember, tide.");
  const many = Array.from({ length: 14 }, (_, n) => `g${n}`);
  expect(suggestSimilar("x", many, "games")).toMatch(/g11 and 2 more\.$/);
  expect(suggestSimilar("x", [], "games")).toBeNull();
});

test("ranks all names by their distance, and counts swapped characters as one edit", () => {
  expect(findNearest("cavren", ["cover", "cavern", "tower"], 2)).toEqual(["cavern", "cover"]);
  expect(findNearest("cave", ["zz", "cavern", "xx"])).toEqual(["cavern", "xx", "zz"]);
});

test("says how many names there are besides the nearest ones", () => {
  const existing = new Set(["ab", "abc", "x", "y", "z", "zz"]);
  expect(describeNearest("ab", existing, "rooms", "None")).toBe(
    'The most similar of 6 rooms: "ab", "abc", "x", "y", "z", and 1 more',
  );
  expect(describeNearest("ab", new Set(), "rooms", "None")).toBe("None");
});
