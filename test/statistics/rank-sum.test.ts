/** The rank-sum test: exact cases with and without ties. */
import { expect, test } from "vitest";
import { computeRankSumZ } from "../../src/statistics/rank-sum.ts";

test.each<[first: number[], second: number[], z: number]>([
  // Rank sum 15 instead of 10.5, with the deviation sqrt(3 * 3 * 7 / 12).
  [[1, 2, 3], [4, 5, 6], 4.5 / Math.sqrt(5.25)],
  [[4, 5, 6], [1, 2, 3], -4.5 / Math.sqrt(5.25)],
  [[1, 4], [2, 3], 0],
  // Two groups of three equal values: variance 9 / 12 * (7 - 48 / 30).
  [[1, 1, 1], [3, 3, 3], 4.5 / Math.sqrt(4.05)],
  [[2, 2], [2, 2, 2], 0],
  [[], [1, 2], 0],
  [[1], [], 0],
])("%j and %j", (first, second, z) => {
  expect(computeRankSumZ(first, second)).toBeCloseTo(z, 12);
});
