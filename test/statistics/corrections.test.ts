/** Corrections for several tests. test/statistics/fisher.test.ts has the discrete one. */
import { describe, expect, it } from "vitest";
import { adjustByHolm } from "../../src/statistics/corrections.ts";

describe("Holm's correction", () => {
  it("multiplies the smallest p-value by the number of tests, the next by one less, and keeps the order", () => {
    expect(adjustByHolm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
    expect(adjustByHolm([0.5, 0.9])).toEqual([1, 1]);
    expect(adjustByHolm([])).toEqual([]);
  });

  // 5 times 0.01, 4 times 0.02 and 3 times 0.03; from there on the largest so far.
  it("never falls below the corrected p-value before it", () => {
    const adjusted = adjustByHolm([0.01, 0.02, 0.03, 0.04, 0.05]);
    for (const [at, expected] of [0.05, 0.08, 0.09, 0.09, 0.09].entries())
      expect(adjusted[at]).toBeCloseTo(expected, 12);
  });

  it("counts tests without a p-value", () => {
    expect(adjustByHolm([null, 0.01, null])).toEqual([null, 0.03, null]);
  });
});
