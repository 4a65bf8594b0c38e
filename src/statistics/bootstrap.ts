/** Confidence intervals of any statistic of testers, by resampling whole testers with all their sessions: the bootstrap. */
import type { Interval } from "./intervals.ts";
import { normalTail } from "./normal.ts";
import { createRandom } from "./random.ts";
import { studentQuantile } from "./student.ts";

const DEFAULT_RESAMPLES = 2_000;
/** Any fixed number: the same data always gives the same interval. */
const DEFAULT_SEED = 20_261_122;
/** The minimum number of testers for an interval. */
const MIN_SIZE = 2;

export interface BootstrapOptions {
  /** 0 to 1. Default: 0.95. */
  readonly confidence?: number;
  /** Default: 2,000. */
  readonly resamples?: number;
  /** The same seed always gives the same interval. Default: a fixed number. */
  readonly seed?: number;
}

/**
 * The interval of a statistic of one or more independent samples. `sizes` has the number of testers in each sample, and
 * `statistic` computes the value from how often each tester was drawn. The sessions of a tester are not independent, so
 * testers are drawn, not sessions. Resamples without a value (NaN) do not count. Null if a sample has fewer than 2 testers
 * or no resample has a value.
 *
 * The method is the percentile interval of B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap" (1993), with
 * the wider percentiles of T. C. Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician 69
 * (2015), because plain percentiles are too narrow for small samples. Clusters: A. C. Davison and D. V. Hinkley,
 * "Bootstrap Methods and their Application" (1997), section 3.8.
 */
export function bootstrapInterval(
  sizes: readonly number[],
  statistic: (draws: readonly Uint32Array[]) => number,
  { confidence = 0.95, resamples = DEFAULT_RESAMPLES, seed = DEFAULT_SEED }: BootstrapOptions = {},
): Interval | null {
  const smallest = Math.min(...sizes);
  if (!(smallest >= MIN_SIZE)) return null;
  const random = createRandom(seed);
  const draws = sizes.map((size) => new Uint32Array(size));
  const values: number[] = [];
  for (let resample = 0; resample < resamples; resample += 1) {
    for (const drawn of draws) {
      drawn.fill(0);
      for (let count = 0; count < drawn.length; count += 1) {
        const tester = Math.floor(random() * drawn.length);
        drawn[tester] = (drawn[tester] ?? 0) + 1;
      }
    }
    const value = statistic(draws);
    if (!Number.isNaN(value)) values.push(value);
  }
  if (values.length === 0) return null;
  values.sort((x, y) => x - y);
  const tail = expandTail((1 - confidence) / 2, smallest);
  const last = values.length - 1;
  const outside = Math.floor(tail * values.length);
  return { low: values[outside] ?? Number.NaN, high: values[last - outside] ?? Number.NaN };
}

/**
 * The share of resamples outside each end of the interval. It is smaller than `tail` for few testers, as Student's t
 * interval is wider than the normal one.
 */
export function expandTail(tail: number, size: number): number {
  return normalTail(studentQuantile(tail, size - 1) * Math.sqrt(size / (size - 1)));
}

/** A statistic of the testers of one sample, by how often each tester was drawn. NaN if no drawn tester has a value. */
export type DrawnStatistic = (draws: Uint32Array) => number;

/** Every tester drawn once: what a statistic is without resampling. */
export const drawOnce = (size: number) => new Uint32Array(size).fill(1);

/** A ratio of sums over testers, such as active time divided by play time. NaN if the wholes add up to 0. */
export function prepareRatio(
  testers: readonly { readonly part: number; readonly whole: number }[],
): DrawnStatistic {
  return (draws) => {
    let [parts, wholes] = [0, 0];
    for (const [tester, { part, whole }] of testers.entries()) {
      const times = draws[tester] ?? 0;
      parts += times * part;
      wholes += times * whole;
    }
    return parts / wholes;
  };
}

/**
 * The median of the values of all testers, given as a list for each tester: the middle value, or the mean of the two
 * middle values. Each value counts as often as its tester was drawn.
 */
export function prepareMedian(testers: readonly (readonly number[])[]): DrawnStatistic {
  const sorted = testers
    .flatMap((values, tester) => values.map((value) => ({ tester, value })))
    .sort((x, y) => x.value - y.value);
  return (draws) => {
    let total = 0;
    for (const { tester } of sorted) total += draws[tester] ?? 0;
    const [lower, upper] = [Math.floor((total - 1) / 2), Math.floor(total / 2)];
    let passed = 0;
    let below = Number.NaN;
    for (const { tester, value } of sorted) {
      passed += draws[tester] ?? 0;
      if (Number.isNaN(below) && passed > lower) below = value;
      if (passed > upper) return (below + value) / 2;
    }
    return Number.NaN;
  };
}
