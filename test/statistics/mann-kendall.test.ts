/** The test for a trend, against published values, all orders, and simulated sequences. */
import { describe, expect, it } from "vitest";
import { testTrend } from "../../src/statistics/mann-kendall.ts";
import { createRandom } from "../random.ts";

const permute = (values: readonly number[]): number[][] =>
  values.length <= 1
    ? [[...values]]
    : values.flatMap((value, at) =>
        permute(values.filter((_, other) => other !== at)).map((rest) => [value, ...rest]),
      );

describe("the test for a trend", () => {
  it.each([
    // Kendall (1970), appendix table 1: the probability that S is at least this large.
    [[1, 2, 3, 4], 6, 0.042],
    [[1, 2, 3, 5, 4], 8, 0.042],
    [[1, 2, 3, 4, 5], 10, 0.0083],
    [[2, 1, 4, 3, 6, 5], 9, 0.068],
    [[3, 1, 2, 5, 4, 8, 6, 7], 18, 0.016],
    [[2, 1, 4, 3, 8, 5, 6, 7, 10, 9], 33, 0.0011],
  ])("of %j has the published p-value", (values, score, oneSided) => {
    const test = testTrend(values);
    expect(test.score).toBe(score);
    expect(test.pValue / 2).toBeCloseTo(oneSided, oneSided < 0.01 ? 4 : 3);
    expect(testTrend(values.toReversed())).toEqual({ score: -score, pValue: test.pValue });
  });

  it("has the share of all orders with a score as far from 0", () => {
    const all = permute([1, 2, 3, 4, 5, 6]).map((order) => testTrend(order));
    for (const { score, pValue } of all.slice(0, 100)) {
      const asFar = all.filter((other) => Math.abs(other.score) >= Math.abs(score));
      expect(pValue).toBeCloseTo(Math.min(1, asFar.length / all.length), 9);
    }
  });

  it("finds none in equal values, and in no values", () => {
    for (const values of [[], [5], [5, 5, 5, 5, 5, 5], new Array<number>(80).fill(1)])
      expect(testTrend(values)).toEqual({ score: 0, pValue: 1 });
  });

  it("is wrong in at most 5% of sequences without a trend, whatever their length", () => {
    const random = createRandom(37);
    // Play times are skewed: most sessions are short, and some are very long.
    const draw = () => Math.round(600 * (1 / (1 - random()) - 1));
    for (const length of [4, 5, 6, 8, 12, 30, 60]) {
      const wrong = Array.from({ length: 2000 }, () => Array.from({ length }, draw)).filter(
        (values) => testTrend(values).pValue <= 0.05,
      );
      // Two standard deviations of the simulation above 5%.
      expect([length, wrong.length / 2000 <= 0.06]).toEqual([length, true]);
    }
  });
});
