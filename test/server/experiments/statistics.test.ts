/** Statistics, checked against published tables and examples, and the sequential interval by simulation. */
import { describe, expect, it, test } from "vitest";
import {
  checkSampleRatio,
  chiSquareTail,
  logGamma,
  upperGamma,
} from "../../../src/server/experiments/chi-square.ts";
import {
  differenceInterval,
  estimateRate,
  excludesZero,
  type RateContribution,
  type RateEstimate,
  sequentialMargin,
  wilsonInterval,
} from "../../../src/server/experiments/statistics.ts";
import { createRandom } from "../../random.ts";

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
    expect(ratio).toEqual({ chiSquare: 0, pValue: 1, expected: [75, 25], warning: false });
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
});

/** Contributions of 0 and 1. */
const yesNo = (yes: number, of: number): RateContribution[] =>
  Array.from({ length: of }, (_, at) => ({ part: at < yes ? 1 : 0, whole: 1 }));

describe("estimateRate", () => {
  it("has the variance of a proportion for contributions of 0 and 1", () => {
    const { value, variance, players } = estimateRate(yesNo(12, 40));
    expect([value, players]).toEqual([0.3, 40]);
    expect(variance).toBeCloseTo((0.3 * 0.7) / 39, 12);
  });

  it("uses the player as the unit: ten sessions of one player are not ten players", () => {
    const alike = Array.from({ length: 20 }, (_, at) => ({ part: at < 10 ? 10 : 0, whole: 10 }));
    expect(estimateRate(alike).variance).toBeCloseTo(0.25 / 19, 12);
  });

  it("has the same minimum variance for counts and for milliseconds", () => {
    const active = (seconds: number) =>
      Array.from({ length: 32 }, () => ({ part: seconds * 1000, whole: 600_000 }));
    const [all, nearly, half] = [active(600), active(599.9), active(300)].map(estimateRate) as [
      RateEstimate,
      RateEstimate,
      RateEstimate,
    ];
    expect(all.variance).toBeCloseTo(1 / 32 ** 2, 12);
    expect(excludesZero(differenceInterval(all, nearly))).toBe(false);
    expect(excludesZero(differenceInterval(all, half))).toBe(true);
  });

  it("has a minimum variance if one player outweighs many", () => {
    const many = Array.from({ length: 99 }, () => ({ part: 500, whole: 1000 }));
    const { variance, players } = estimateRate([...many, { part: 1e9, whole: 1e9 }]);
    expect(players).toBe(100);
    expect(variance).toBeGreaterThan(0.99);
  });

  it("always has a positive variance, which is infinite for one player", () => {
    expect(estimateRate(yesNo(0, 50)).variance).toBeCloseTo(1 / 2500, 12);
    expect(estimateRate(yesNo(1, 1)).variance).toBe(Number.POSITIVE_INFINITY);
    expect(estimateRate([])).toEqual({ value: 0, variance: Number.POSITIVE_INFINITY, players: 0 });
    expect(estimateRate([{ part: 0, whole: 0 }, ...yesNo(1, 2)]).players).toBe(2);
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

  it("is null with fewer than 30 players per side", () => {
    const [few, enough] = [estimateRate(yesNo(3, 29)), estimateRate(yesNo(3, 30))];
    expect(differenceInterval(few, enough)).toBeNull();
    expect(differenceInterval(enough, few)).toBeNull();
    expect(differenceInterval(enough, enough)).not.toBeNull();
  });

  it("is centered on b - a", () => {
    const interval = differenceInterval(estimateRate(yesNo(10, 100)), estimateRate(yesNo(60, 100)));
    expect(((interval?.low ?? 0) + (interval?.high ?? 0)) / 2).toBeCloseTo(0.5, 12);
    expect(excludesZero(interval)).toBe(true);
    expect(excludesZero(null)).toBe(false);
  });
});

/** Decides whether two sides differ. */
type Judge = (a: RateEstimate, b: RateEstimate) => boolean;
const sequential: Judge = (a, b) => excludesZero(differenceInterval(a, b));
/** The fixed-sample test, which is not valid for repeated checks. */
const atOneLook: Judge = (a, b) => Math.abs(b.value - a.value) > 1.96 * Math.sqrt(a.variance + b.variance);

interface Simulated {
  readonly rates: readonly [number, number];
  readonly runs: number;
  readonly judge: Judge;
}

/**
 * The share of runs that stop before 1,000 players per side, if the result is checked after every tenth player per side
 * and the run stops at the first difference.
 */
function shareStopped({ rates, runs, judge }: Simulated): number {
  const next = createRandom(20_260_301);
  let stopped = 0;
  for (let run = 0; run < runs; run += 1) if (stops(rates, judge, next)) stopped += 1;
  return stopped / runs;
}

function stops([rateA, rateB]: readonly [number, number], judge: Judge, next: () => number): boolean {
  let [a, b] = [0, 0];
  for (let players = 1; players <= 1000; players += 1) {
    if (next() < rateA) a += 1;
    if (next() < rateB) b += 1;
    if (players < 30 || players % 10 > 0) continue;
    if (judge(proportion(a, players), proportion(b, players))) return true;
  }
  return false;
}

/** The result of `estimateRate` for contributions of 0 and 1, computed without lists. */
function proportion(yes: number, of: number): RateEstimate {
  const value = yes / of;
  return { value, variance: Math.max((value * (1 - value)) / (of - 1), 1 / of ** 2), players: of };
}

describe("under optional stopping", () => {
  const RUNS = 600;
  /** 5% plus three standard errors of a share of this many runs. */
  const MOST = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / RUNS);

  it("the shortcut of the simulation equals the estimate", () => {
    for (const [yes, of] of [
      [0, 30],
      [7, 40],
      [50, 50],
    ] as const) {
      const [short, whole] = [proportion(yes, of), estimateRate(yesNo(yes, of))];
      expect(short.value).toBeCloseTo(whole.value, 12);
      expect(short.variance).toBeCloseTo(whole.variance, 12);
    }
  });

  test.each([0.5, 0.3, 0.1, 0.03])(
    "finds a difference between equal rates of %f in at most 5%% of the runs",
    (rate) => {
      expect(shareStopped({ rates: [rate, rate], runs: RUNS, judge: sequential })).toBeLessThanOrEqual(MOST);
    },
  );

  it("finds a difference between different rates", () => {
    expect(shareStopped({ rates: [0.3, 0.45], runs: 200, judge: sequential })).toBeGreaterThan(0.95);
  });

  it("a fixed-sample interval fails in the simulation", () => {
    expect(shareStopped({ rates: [0.3, 0.3], runs: RUNS, judge: atOneLook })).toBeGreaterThan(MOST);
  });
});
