/** The permutation test of means: exact cases. */
import { expect, test } from "vitest";
import { computePermutationZ } from "../../src/statistics/permutation.ts";

test.each<[first: number[], second: number[], z: number]>([
  // The sum of the second group is 6 of 6, its mean over all divisions is 3, and its variance 9 * 6 / 30.
  [[0, 0, 0], [2, 2, 2], 3 / Math.sqrt(1.8)],
  [[2, 2, 2], [0, 0, 0], -3 / Math.sqrt(1.8)],
  // Sum 7 instead of 5, and the variance is 4 * 5 / 12.
  [[1, 2], [3, 4], 2 / Math.sqrt(5 / 3)],
  [[1, 4], [2, 3], 0],
  [[0.1, 0.1, 0.1], [0.1, 0.1], 0],
  [[], [1, 2], 0],
  [[1, 2], [], 0],
  [[], [], 0],
])("%j and %j", (first, second, z) => {
  expect(computePermutationZ(first, second)).toBeCloseTo(z, 12);
});
