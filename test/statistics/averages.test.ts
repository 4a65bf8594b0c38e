/** Sums, means and medians. */
import { expect, test } from "vitest";
import { mean, median, sum } from "../../src/statistics/averages.ts";
import { drawOnce, prepareMedian, prepareRatio } from "../../src/statistics/bootstrap.ts";
import fc from "../property.ts";

test("adds up to 0 without values, and has no mean", () => {
  expect([sum([1, 2, 4]), sum([])]).toEqual([7, 0]);
  expect([mean([1, 2, 6]), mean([])]).toEqual([3, Number.NaN]);
});

test("the median is the middle value, or the mean of the two middle values", () => {
  expect([median([9, 1, 5]), median([4, 1, 3, 10]), median([])]).toEqual([5, 3.5, 0]);
});

test("a ratio of sums counts each tester as often as it was drawn", () => {
  const ratio = prepareRatio([
    { part: 1, whole: 2 },
    { part: 3, whole: 4 },
  ]);
  expect([ratio(drawOnce(2)), ratio(Uint32Array.of(0, 2)), ratio(Uint32Array.of(0, 0))]).toEqual([
    4 / 6,
    0.75,
    Number.NaN,
  ]);
});

test("the median of drawn testers is the median of all their values", () => {
  const property = fc.property(
    fc.array(fc.array(fc.nat(100)), { minLength: 4, maxLength: 4 }),
    fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }),
    (testers, draws) => {
      const drawn = testers.flatMap((values, at) =>
        Array.from({ length: draws[at] ?? 0 }, () => values).flat(),
      );
      const expected = drawn.length === 0 ? Number.NaN : median(drawn);
      expect(prepareMedian(testers)(Uint32Array.from(draws))).toEqual(expected);
    },
  );
  fc.assert(property);
});
