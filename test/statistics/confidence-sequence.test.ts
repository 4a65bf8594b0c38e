/** Intervals that remain valid however often they are checked, against published ones. */
import { describe, expect, it, test } from "vitest";
import {
  differenceInterval,
  sequentialMargin,
  sequentialPValue,
} from "../../src/statistics/confidence-sequence.ts";
import { excludesZero } from "../../src/statistics/intervals.ts";
import { estimate, yesNo } from "./rate-samples.ts";

describe("the sequential interval", () => {
  // The two-sided sequential tests of GrowthBook's gbstats: standard errors and intervals as published there, with
  // 3,000 and 3,461 players, tuned to 1,000; and with a covariate, tuned to 5,000.
  test.each([
    [0.33341, 1000, -0.55844, 1.56516],
    [0.3093, 5000, -0.43745, 1.44217],
  ])(
    "with a standard error of %f, tuned to %i, has the width of GrowthBook's interval",
    (error, tunedTo, low, high) => {
      expect(sequentialMargin(error, 6461, 0.05, tunedTo)).toBeCloseTo((high - low) / 2, 3);
    },
  );

  it("is tightest, in standard errors, near the number it is tuned to", () => {
    const reach = (players: number) => sequentialMargin(1, players);
    const players = Array.from({ length: 200 }, (_, at) => (at + 1) * 10);
    const best = players.reduce((least, one) => (reach(one) < reach(least) ? one : least));
    expect(best).toBeGreaterThan(150);
    expect(best).toBeLessThan(250);
    expect(reach(best)).toBeGreaterThan(2.5);
  });

  it("is null with fewer than 30 players per side, and so is the p-value", () => {
    const [few, enough] = [estimate(yesNo(3, 29)), estimate(yesNo(3, 30))];
    for (const compare of [differenceInterval, sequentialPValue]) {
      expect(compare(few, enough)).toBeNull();
      expect(compare(enough, few)).toBeNull();
      expect(compare(enough, enough)).not.toBeNull();
    }
  });

  it("is centered on the difference of the centers, and contains the measured one", () => {
    const [a, b] = [estimate(yesNo(10, 100)), estimate(yesNo(60, 100))];
    const interval = differenceInterval(a, b);
    expect(((interval?.low ?? 0) + (interval?.high ?? 0)) / 2).toBeCloseTo(50 / 102, 12);
    expect((interval?.low ?? 1) < 0.5 && 0.5 < (interval?.high ?? 0)).toBe(true);
    expect(excludesZero(interval)).toBe(true);
    expect(excludesZero(null)).toBe(false);
  });

  test.each([
    [30, 18],
    [100, 60],
    [2000, 900],
  ])("excludes 0 at exactly the levels above the p-value, with %i players", (players, yes) => {
    const [a, b] = [estimate(yesNo(Math.floor(players * 0.4), players)), estimate(yesNo(yes, players))];
    const pValue = sequentialPValue(a, b) ?? 1;
    expect(pValue).toBeLessThan(1);
    expect(excludesZero(differenceInterval(a, b, pValue * 1.001))).toBe(true);
    expect(excludesZero(differenceInterval(a, b, pValue * 0.999))).toBe(false);
  });

  it("has a p-value of 1 for equal rates", () => {
    expect(sequentialPValue(estimate(yesNo(20, 50)), estimate(yesNo(20, 50)))).toBe(1);
  });
});
