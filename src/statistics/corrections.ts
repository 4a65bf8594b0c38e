/** Corrections of p-values for several tests. Both hold for any dependence between the tests. */
import { countLeading } from "./bisect.ts";

/** Probabilities within this relative distance are equal: different orders of summation round differently. */
const RELATIVE_TOLERANCE = 1e-9;

/**
 * Corrects p-values so that the probability of any false alarm among them is at most the level at which they are compared:
 * Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979). It holds
 * for any dependence between the tests, and for always-valid p-values it remains valid however many times they are checked. A null
 * p-value stays null but counts as a test, so that the correction does not change when it becomes available.
 */
export function adjustByHolm(pValues: readonly (number | null)[]): (number | null)[] {
  const order = pValues.map((_, at) => at).sort((x, y) => (pValues[x] ?? 1) - (pValues[y] ?? 1));
  const adjusted: (number | null)[] = pValues.map(() => null);
  let largest = 0;
  for (const [rank, at] of order.entries()) {
    const pValue = pValues[at] ?? null;
    if (pValue === null) continue;
    largest = Math.max(largest, Math.min(1, pValue * (pValues.length - rank)));
    adjusted[at] = largest;
  }
  return adjusted;
}

/**
 * The corrected p-value for an uncorrected one, given the falling p-values that each test of discrete data can produce:
 * the sum, over all tests, of the largest p-value that the test can produce at or below the uncorrected one. Like
 * Bonferroni's correction, this limits the probability of any false alarm for any dependence between the tests, but tests
 * of rare outcomes cost less because they can only produce large p-values. P. H. Westfall and R. D. Wolfinger, "Multiple
 * Tests with Discrete Distributions", The American Statistician 51 (1997), after R. E. Tarone, "A Modified Bonferroni
 * Method for Discrete Data", Biometrics 46 (1990).
 */
export function sumAttainable(falling: readonly (readonly number[])[], pValue: number): number {
  const limit = pValue * (1 + RELATIVE_TOLERANCE);
  let sum = 0;
  for (const pValues of falling) sum += findLargestAtMost(pValues, limit);
  return Math.min(1, sum);
}

/** The largest of the falling p-values that is at most `limit`, or 0. */
function findLargestAtMost(pValues: readonly number[], limit: number): number {
  return pValues[countLeading(pValues.length, (at) => (pValues[at] ?? 0) > limit)] ?? 0;
}
