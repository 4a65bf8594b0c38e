/** Rates over players: estimates for differences, and intervals of clustered rates. */
import { describe, expect, it } from "vitest";
import { differenceInterval } from "../../src/statistics/confidence-sequence.ts";
import { excludesZero, wilsonInterval } from "../../src/statistics/intervals.ts";
import { clusteredInterval, type RateContribution, sumContributions } from "../../src/statistics/rates.ts";
import { estimate, repeat, yesNo } from "./rate-samples.ts";

describe("estimateRate", () => {
  it("adds a success and a failure to shares of 0 and 1 (Agresti and Caffo)", () => {
    const { value, center, variance, players } = estimate(yesNo(12, 40));
    expect([value, players]).toEqual([0.3, 40]);
    expect(center).toBeCloseTo(13 / 42, 12);
    expect(variance).toBeCloseTo(((13 / 42) * (29 / 42)) / 42, 12);
  });

  it("uses the player as the unit: ten sessions of one player are not ten players", () => {
    const alike = [...repeat(10, { part: 10, whole: 10 }), ...repeat(10, { part: 0, whole: 10 })];
    expect(estimate(alike).variance).toBeCloseTo(0.25 / 22, 12);
  });

  it("has the same variance for counts and for milliseconds", () => {
    const active = (seconds: number) => estimate(repeat(32, { part: seconds * 1000, whole: 600_000 }));
    expect(active(600).variance).toBeCloseTo(estimate(yesNo(32, 32)).variance, 12);
    expect(excludesZero(differenceInterval(active(600), active(599.9)))).toBe(false);
    expect(excludesZero(differenceInterval(active(600), active(300)))).toBe(true);
  });

  it("has a large variance if one player outweighs many", () => {
    const { center, variance, players } = estimate([
      ...repeat(99, { part: 500, whole: 1000 }),
      { part: 1e9, whole: 1e9 },
    ]);
    expect(players).toBe(100);
    expect(center).toBeCloseTo(2 / 3, 3);
    expect(variance).toBeGreaterThan(0.05);
  });

  it("ignores players without a whole, and has an infinite variance without players", () => {
    expect(estimate([])).toEqual({ value: 0, center: 0, variance: Number.POSITIVE_INFINITY, players: 0 });
    expect(estimate([{ part: 0, whole: 0 }, ...yesNo(1, 2)]).players).toBe(2);
    expect(estimate(yesNo(0, 50)).variance).toBeCloseTo(51 / 52 ** 3, 12);
  });
});

describe("the interval of a clustered rate", () => {
  const interval = (contributions: readonly RateContribution[]) =>
    clusteredInterval(sumContributions(contributions));
  const width = ({ low, high }: { low: number; high: number }) => high - low;

  it("has the width of an interval of players, not of sessions, if the sessions of each player are equal", () => {
    const alike = interval([...repeat(100, { part: 5, whole: 5 }), ...repeat(300, { part: 0, whole: 5 })]);
    expect(width(alike) / width(wilsonInterval(100, 400))).toBeCloseTo(1, 1);
    expect(width(alike) / width(wilsonInterval(500, 2000))).toBeGreaterThan(2);
  });

  it("is narrower if the sessions of a player differ", () => {
    const mixed = interval(repeat(400, { part: 2, whole: 5 }));
    expect(width(mixed)).toBeLessThan(width(wilsonInterval(160, 400)));
  });

  it("contains the rate, ends at 0 and 1, and is 0 to 1 without players", () => {
    expect(interval(repeat(50, { part: 0, whole: 3 })).low).toBe(0);
    expect(interval(repeat(50, { part: 3, whole: 3 })).high).toBe(1);
    expect(interval([])).toEqual({ low: 0, high: 1 });
    const { low, high } = interval([
      ...repeat(3, { part: 1, whole: 4 }),
      ...repeat(90, { part: 0, whole: 2 }),
    ]);
    expect(low < 3 / 192 && 3 / 192 < high).toBe(true);
  });
});
