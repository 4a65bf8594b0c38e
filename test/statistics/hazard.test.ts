/** What longer play explains: an exact case of the exponential distribution. */
import { expect, test } from "vitest";
import { expectedOddsRatio } from "../../src/statistics/hazard.ts";

test("computes the odds ratio for the same chance per second in both groups", () => {
  // With shares 1 - exp(-x) and 1 - exp(-2x) the odds ratio is (1 - exp(-2x)) / (exp(-x) * (1 - exp(-x))) / ... = exp(x) + 1.
  const [a, b] = [new Array<number>(10).fill(100), new Array<number>(10).fill(200)];
  const share = 1 - Math.exp(-0.5);
  const expected = 10 * share + 10 * (1 - Math.exp(-1));
  expect(expectedOddsRatio(a, b, expected)).toBeCloseTo(Math.exp(0.5) + 1, 6);
  expect(expectedOddsRatio(b, a, 5)).toBe(1);
  expect([expectedOddsRatio(a, b, 0), expectedOddsRatio(a, b, 20)]).toEqual([1, 1]);
});
