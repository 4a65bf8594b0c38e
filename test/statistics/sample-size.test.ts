/** Sample sizes and pooled rates. */
import { expect, test } from "vitest";
import { sequentialMargin } from "../../src/statistics/confidence-sequence.ts";
import { computeDetectable, findSampleSize, poolRates } from "../../src/statistics/sample-size.ts";
import { estimate, yesNo } from "./rate-samples.ts";

const even = { unitVariance: 0.25, alpha: 0.05, power: 0.8 };

test("a detectable difference is the margin of the interval and the quantile of the power", () => {
  const error = Math.sqrt(2 * (0.25 / 1000 + 1 / 1000 ** 2));
  // 0.8416 is the 80% quantile of the normal distribution.
  const expected = sequentialMargin(error, 2000) + 0.8416212335729142 * error;
  expect(computeDetectable([1000, 1000, 5000], even)).toBeCloseTo(expected, 12);
});

test("finds the smallest number of players at which the difference is detectable", () => {
  const total = findSampleSize([0.5, 0.5], 0.05, even);
  expect(computeDetectable([total / 2, total / 2], even)).toBeLessThanOrEqual(0.05);
  expect(computeDetectable([(total - 1) / 2, (total - 1) / 2], even)).toBeGreaterThan(0.05);
  expect(findSampleSize([0.9, 0.1], 1, even)).toBe(300);
});

test("pools the rates of all players, with the variance of a share", () => {
  const pooled = poolRates([estimate(yesNo(40, 400)), estimate(yesNo(60, 400)), estimate([])]);
  expect(pooled?.rate).toBeCloseTo(0.125, 12);
  // The mean of 0.1 * 0.9 and 0.15 * 0.85.
  expect(pooled?.unitVariance).toBeCloseTo(0.10875, 2);
  expect(poolRates([estimate(yesNo(3, 14)), estimate(yesNo(3, 15))])).toBeNull();
  expect(poolRates([estimate(yesNo(0, 100)), estimate(yesNo(0, 100))])).toBeNull();
});
