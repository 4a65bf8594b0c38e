/** Confidence intervals for a share of testers, and for the difference between the shares of two groups. */
import { binomialTail } from "./binomial.ts";
import type { TwoByTwo } from "./fisher.ts";
import { normalQuantile } from "./normal.ts";

/** An interval, in the unit of what it contains. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * The interval for a share, 0 to 1: the score method. `count` and `total` need not be integers, and `confidence` is from 0
 * to 1. Without anyone to count, the interval is 0 to 1. E. B. Wilson, "Probable Inference, the Law of Succession, and
 * Statistical Inference", Journal of the American Statistical Association 22 (1927).
 */
export function wilsonInterval(count: number, total: number, confidence = 0.95): Interval {
  if (total === 0) return { low: 0, high: 1 };
  const z = normalQuantile((1 + confidence) / 2);
  const share = count / total;
  const center = share + z ** 2 / (2 * total);
  const margin = z * Math.sqrt((share * (1 - share)) / total + (z / (2 * total)) ** 2);
  const scale = 1 + z ** 2 / total;
  return {
    // Rounding errors would otherwise give values slightly off 0 and 1.
    low: count === 0 ? 0 : Math.max(0, (center - margin) / scale),
    high: count === total ? 1 : Math.min(1, (center + margin) / scale),
  };
}

/**
 * The interval for the share in b minus the share in a, from -1 to 1: the hybrid score method without continuity
 * correction, method 10 of R. G. Newcombe, "Interval Estimation for the Difference Between Independent Proportions",
 * Statistics in Medicine 17 (1998). If a group has nobody to count, its share is unknown, from 0 to 1.
 */
export function newcombeInterval(
  { testersA, totalA, testersB, totalB }: TwoByTwo,
  confidence = 0.95,
): Interval {
  const [a, b] = [wilsonInterval(testersA, totalA, confidence), wilsonInterval(testersB, totalB, confidence)];
  if (totalA === 0 || totalB === 0) return { low: b.low - a.high, high: b.high - a.low };
  const [shareA, shareB] = [testersA / totalA, testersB / totalB];
  const difference = shareB - shareA;
  return {
    low: difference - Math.hypot(shareB - b.low, a.high - shareA),
    high: difference + Math.hypot(b.high - shareB, shareA - a.low),
  };
}

/** Halving 0 to 1 this often leaves nothing of it. */
const HALVINGS = 50;

/**
 * The smallest share, 0 to 1, with which at least `count` of `total` are not less probable than `level`: the exact lower
 * bound. C. J. Clopper and E. S. Pearson, "The Use of Confidence or Fiducial Limits Illustrated in the Case of the
 * Binomial", Biometrika 26 (1934).
 */
export function exactLowerBound(count: number, total: number, level: number): number {
  if (count === 0) return 0;
  let [low, high] = [0, count / total];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (binomialTail(total, middle, count) <= level) low = middle;
    else high = middle;
  }
  return low;
}

/** Whether an interval of a difference does not contain 0. False without an interval. */
export const excludesZero = (interval: Interval | null): boolean =>
  interval !== null && (interval.low > 0 || interval.high < 0);
