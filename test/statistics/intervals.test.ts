/** Intervals of shares and their differences, against the tables of the papers. */
import { expect, test } from "vitest";
import {
  exactLowerBound,
  excludesZero,
  newcombeInterval,
  wilsonInterval,
} from "../../src/statistics/intervals.ts";

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

test("ends exactly at 0 and 1, and is 0 to 1 without observations", () => {
  expect(wilsonInterval(0, 7).low).toBe(0);
  expect(wilsonInterval(7, 7).high).toBe(1);
  expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  // Effective sample sizes are not integers, and rounding errors must not leave 0 to 1.
  expect(wilsonInterval(1e-20, 3.7).low).toBeGreaterThanOrEqual(0);
});

test("excludes 0 only with both ends on one side of it", () => {
  expect(excludesZero({ low: 0.01, high: 0.2 })).toBe(true);
  expect(excludesZero({ low: -0.2, high: -0.01 })).toBe(true);
  expect(excludesZero({ low: 0, high: 0.2 })).toBe(false);
  expect(excludesZero(null)).toBe(false);
});

// The same table, method 5.
test.each([
  [81, 263, 0.2527],
  [15, 148, 0.0578],
  [0, 20, 0],
  [1, 29, 0.0009],
])("the exact lower bound of %i of %i", (count, total, low) => {
  expect(exactLowerBound(count, total, 0.025)).toBeCloseTo(low, 4);
});
