/** Statistics, checked against published tables and examples. `npm run bench -- statistics` simulates their error rates. */
import { describe, expect, it, test } from "vitest";
import {
  chiSquareCritical,
  chiSquareTail,
  logGamma,
  noncentralChiSquareTail,
  upperGamma,
} from "../../../src/server/experiments/chi-square.ts";
import { adjustByHolm } from "../../../src/server/experiments/holm.ts";
import {
  clusteredInterval,
  estimateRate,
  type RateContribution,
  sumContributions,
} from "../../../src/server/experiments/rates.ts";
import { checkSampleRatio } from "../../../src/server/experiments/sample-ratio.ts";
import {
  differenceInterval,
  excludesZero,
  sequentialMargin,
  sequentialPValue,
} from "../../../src/server/experiments/sequential.ts";
import { wilsonInterval } from "../../../src/server/experiments/wilson.ts";

describe("the Wilson interval", () => {
  // Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("of %i in %i equals the published one", (successes, total, low, high) => {
    const interval = wilsonInterval(successes, total);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  it("ends exactly at 0 and 1, and is 0 to 1 without observations", () => {
    expect(wilsonInterval(0, 7).low).toBe(0);
    expect(wilsonInterval(7, 7).high).toBe(1);
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });
});

describe("the chi-square distribution", () => {
  // Upper-tail critical values: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4.
  test.each([
    [1, 0.1, 2.706],
    [1, 0.05, 3.841],
    [1, 0.001, 10.828],
    [2, 0.05, 5.991],
    [3, 0.05, 7.815],
    [5, 0.01, 15.086],
    [10, 0.05, 18.307],
    [10, 0.001, 29.588],
    [50, 0.05, 67.505],
    [100, 0.05, 124.342],
  ])("with %i degrees of freedom has a tail of %f above its critical value", (degrees, tail, critical) => {
    expect(chiSquareTail(critical, degrees)).toBeCloseTo(tail, 4);
  });

  it("equals e^(-x/2) for two degrees of freedom, far into the tail", () => {
    for (const x of [0.001, 0.5, 2, 4, 30, 200]) {
      expect(chiSquareTail(x, 2) / Math.exp(-x / 2)).toBeCloseTo(1, 11);
    }
    expect(chiSquareTail(0, 3)).toBe(1);
  });

  it("is continuous where the method of computation changes", () => {
    // Q(a + 1, x) = Q(a, x) + x^a e^-x / gamma(a + 1): DLMF 8.8.6.
    for (const a of [0.5, 1, 4.5, 20]) {
      for (const x of [a * 0.5, a, a + 0.9, a + 1.1, a * 3]) {
        const step = Math.exp(a * Math.log(x) - x - logGamma(a + 1));
        expect(upperGamma(a + 1, x) - upperGamma(a, x)).toBeCloseTo(step, 12);
      }
    }
  });

  it("computes factorials and the gamma function of 1/2", () => {
    expect(Math.exp(logGamma(5))).toBeCloseTo(24, 10);
    expect(Math.exp(logGamma(0.5))).toBeCloseTo(Math.sqrt(Math.PI), 12);
  });
});

describe("the noncentral chi-square distribution", () => {
  test.each([
    [1, 0.05, 3.841],
    [3, 0.001, 16.266],
  ])("with %i degrees of freedom has the critical value of %f", (degrees, probability, critical) => {
    expect(chiSquareCritical(probability, degrees)).toBeCloseTo(critical, 3);
  });

  // Haynam, Govindarajulu and Leone, "Tables of the cumulative non-central chi-square distribution" (1962): the
  // noncentrality at which a 5% test has a power of 0.8.
  test.each([
    [1, 7.849],
    [2, 9.635],
    [5, 12.828],
    [10, 16.241],
  ])(
    "with %i degrees of freedom has a power of 0.8 at the published noncentrality",
    (degrees, noncentrality) => {
      const critical = chiSquareCritical(0.05, degrees);
      expect(noncentralChiSquareTail(critical, degrees, noncentrality)).toBeCloseTo(0.8, 3);
    },
  );

  it("is the central one without noncentrality, and exceeds a small value almost certainly if it is large", () => {
    expect(noncentralChiSquareTail(5, 2, 0)).toBeCloseTo(chiSquareTail(5, 2), 12);
    expect(noncentralChiSquareTail(10, 1, 1e6)).toBe(1);
  });
});

describe("the sample ratio check", () => {
  const even = [{ allocation: 50 }, { allocation: 50 }];

  // Fabijan et al., "Diagnosing sample ratio mismatch in online controlled experiments", KDD 2019, introduction:
  // 821,588 against 815,482 users at 50/50 has a p-value of 1.8e-6.
  it("finds the published mismatch", () => {
    const ratio = checkSampleRatio(even, [821_588, 815_482]);
    expect(ratio?.pValue).toBeGreaterThan(1.75e-6);
    expect(ratio?.pValue).toBeLessThan(1.85e-6);
    expect(ratio?.warning).toBe(true);
  });

  it("uses the allocations as weights, whatever their sum", () => {
    const ratio = checkSampleRatio([{ allocation: 3 }, { allocation: 1 }], [75, 25]);
    expect(ratio).toMatchObject({ chiSquare: 0, pValue: 1, expected: [75, 25], warning: false });
  });

  it("warns only below p = 0.001 and with at least 8 expected players in every variant", () => {
    expect(checkSampleRatio(even, [70, 30])?.warning).toBe(true);
    expect(checkSampleRatio(even, [60, 40])?.warning).toBe(false);
    const few = checkSampleRatio(even, [15, 0]);
    expect([few?.warning, (few?.pValue ?? 1) < 0.001]).toEqual([false, true]);
    expect(checkSampleRatio(even, [16, 0])?.warning).toBe(true);
  });

  it("returns null without players and for a single variant", () => {
    expect(checkSampleRatio(even, [0, 0])).toBeNull();
    expect(checkSampleRatio([{ allocation: 1 }], [9])).toBeNull();
  });

  it("reports which losses it can notice", () => {
    const sensitivity = (players: number) => checkSampleRatio(even, [players, players])?.sensitivity;
    // z = 0.025 / 1.95 * sqrt(5000) = 1.813 against the critical 3.291: the normal tail above 1.478 is 6.97%.
    expect(sensitivity(2500)?.power).toBeCloseTo(0.0697, 3);
    expect(sensitivity(2500)).toMatchObject({ loss: 0.05, detectableLoss: 0.111 });
    expect(sensitivity(50_000)?.power).toBeGreaterThan(0.99);
    expect(sensitivity(7)).toEqual({ loss: 0.05, power: 0, detectableLoss: null });
  });

  it("reports the power for the variant whose loss is hardest to notice", () => {
    const uneven = checkSampleRatio([{ allocation: 90 }, { allocation: 10 }], [4500, 500]);
    // Losing 5% of the small variant: z = 0.05 * sqrt(500 * 0.9) / (1 - 0.005) = 1.066.
    expect(uneven?.sensitivity.power).toBeCloseTo(0.0131, 3);
  });
});

/** Contributions of 0 and 1. */
const yesNo = (yes: number, of: number): RateContribution[] =>
  Array.from({ length: of }, (_, at) => ({ part: at < yes ? 1 : 0, whole: 1 }));
const estimate = (contributions: readonly RateContribution[]) =>
  estimateRate(sumContributions(contributions));
const repeat = (count: number, contribution: RateContribution) =>
  Array.from({ length: count }, () => contribution);

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

describe("Holm's correction", () => {
  it("multiplies the smallest p-value by the number of tests, the next by one less, and keeps the order", () => {
    expect(adjustByHolm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
    expect(adjustByHolm([0.5, 0.9])).toEqual([1, 1]);
    expect(adjustByHolm([])).toEqual([]);
  });

  it("counts tests without a p-value", () => {
    expect(adjustByHolm([null, 0.01, null])).toEqual([null, 0.03, null]);
  });
});
