/** Intervals of shares and their differences, against the tables of the papers. */
import { expect, test } from "vitest";
import { newcombeInterval, wilsonInterval } from "../../../src/shared/statistics/newcombe.ts";
import { normalQuantile } from "../../../src/shared/statistics/normal-quantile.ts";

// Published quantiles, and the ones of Python's statistics.NormalDist.
test.each([
  [0.5, 0],
  [0.975, 1.959963984540054],
  [0.9, 1.2815515655446004],
  [0.05, -1.6448536269514729],
  [1e-6, -4.753424308822899],
  [1e-20, -9.262340089798409],
])("the normal quantile of %d is %d", (probability, z) => {
  expect(normalQuantile(probability)).toBeCloseTo(z, 9);
});

test.each([0, 1, -0.1, Number.NaN])("there is no normal quantile of %d", (probability) => {
  expect(() => normalQuantile(probability)).toThrow(RangeError);
});

// Newcombe, "Two-Sided Confidence Intervals for the Single Proportion" (1998), table I, method 3.
test.each([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])("the interval of %i of %i", (count, total, low, high) => {
  const interval = wilsonInterval(count, total);
  expect(interval.low).toBeCloseTo(low, 4);
  expect(interval.high).toBeCloseTo(high, 4);
});

// Newcombe (1998), table II, method 10: the share of the first group minus that of the second.
test.each([
  [56, 70, 48, 80, 0.0524, 0.3339],
  [9, 10, 3, 10, 0.1705, 0.809],
  [6, 7, 2, 7, 0.0582, 0.8062],
  [5, 56, 0, 29, -0.0381, 0.1926],
  [0, 10, 0, 20, -0.1611, 0.2775],
  [0, 10, 0, 10, -0.2775, 0.2775],
  [10, 10, 0, 20, 0.6791, 1],
  [10, 10, 0, 10, 0.6075, 1],
])("the interval of %i of %i minus %i of %i", (testersB, totalB, testersA, totalA, low, high) => {
  const interval = newcombeInterval({ testersA, totalA, testersB, totalB });
  expect(interval.low).toBeCloseTo(low, 4);
  expect(interval.high).toBeCloseTo(high, 4);
});

test("is wider with more confidence, and unknown without testers", () => {
  const counts = { testersA: 3, totalA: 20, testersB: 9, totalB: 22 };
  const [narrow, wide] = [newcombeInterval(counts, 0.8), newcombeInterval(counts, 0.99)];
  expect(wide.low).toBeLessThan(narrow.low);
  expect(wide.high).toBeGreaterThan(narrow.high);
  const empty = newcombeInterval({ testersA: 0, totalA: 0, testersB: 10, totalB: 10 });
  expect(empty.low).toBeCloseTo(0.7225 - 1, 4);
  expect(empty.high).toBe(1);
});
