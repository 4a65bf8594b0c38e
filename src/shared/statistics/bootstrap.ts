/** Confidence intervals of any statistic of testers, by resampling whole testers with all their sessions. */
import type { Interval } from "./newcombe.ts";
import { normalQuantile, normalTail } from "./normal-quantile.ts";
import { createRandom } from "./random.ts";

const DEFAULT_RESAMPLES = 2_000;
/** Any fixed number: the same data always gives the same interval. */
const DEFAULT_SEED = 20_261_122;
/** The minimum number of testers for an interval. */
const MIN_SIZE = 2;

export interface BootstrapOptions {
  /** 0 to 1. Default: 0.95. */
  readonly confidence?: number;
  readonly resamples?: number;
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

/**
 * The value that Student's t exceeds with probability `tail`, to about 3 digits from 4 degrees of freedom on. M. Abramowitz
 * and I. A. Stegun, "Handbook of Mathematical Functions" (1964), 26.7.5.
 */
function studentQuantile(tail: number, degrees: number): number {
  const z = -normalQuantile(tail);
  const terms = [
    z,
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92_160,
  ];
  return terms.reduceRight((sum, term) => sum / degrees + term, 0);
}
