/** Statistics of rates and of their differences: intervals that say how much of a number is chance. */
import type { Interval } from "../../contract/experiments.ts";

/** The chance that an interval misses the truth. */
export const ALPHA = 0.05;
/** The normal quantile of a two-sided 95 % interval. */
const Z = 1.959963984540054;
/** Players in all at which the sequential interval is tightest. */
export const TUNED_PLAYERS = 200;
/** Players a side below which no difference is judged: the sequential interval holds for large samples. */
export const MIN_PLAYERS = 30;

/**
 * The 95 % interval of a rate: Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
 * Of nothing it is 0 to 1.
 */
export function wilsonInterval(successes: number, total: number): Interval {
  if (total === 0) return { low: 0, high: 1 };
  const rate = successes / total;
  const weight = Z ** 2 / total;
  const centre = (rate + weight / 2) / (1 + weight);
  const reach = Math.sqrt(rate * (1 - rate) * weight + weight ** 2 / 4) / (1 + weight);
  // At the edges rounding would leave a hair beside 0 or 1.
  return {
    low: successes === 0 ? 0 : Math.max(0, centre - reach),
    high: successes === total ? 1 : Math.min(1, centre + reach),
  };
}

/** What one player adds to a rate: crashes of sessions, active of wall ms, retained (0 or 1) of 1. */
export interface RateContribution {
  readonly part: number;
  readonly whole: number;
}

/** A rate over players, and the variance of that rate. */
export interface RateEstimate {
  readonly value: number;
  readonly variance: number;
  readonly players: number;
}

/**
 * The sum of the parts over the sum of the wholes. A player's sessions are alike, so the player is the unit: the
 * variance is that of a ratio of means by the delta method (Deng et al., "Applying the delta method in metric
 * analytics", 2018). It is at least the square of what one player more of such weight could move the rate by: players who
 * are all alike do not make it certain, and neither do many beside one who outweighs them. How many count as one is
 * Kish's effective sample size ("Survey Sampling", 1965), which is the number of players where all weigh the same; so
 * the floor is in players, whatever unit the parts are in.
 */
export function estimateRate(shares: readonly RateContribution[]): RateEstimate {
  const counted = shares.filter(({ whole }) => whole > 0);
  const players = counted.length;
  const whole = counted.reduce((sum, share) => sum + share.whole, 0);
  if (whole === 0) return { value: 0, variance: Number.POSITIVE_INFINITY, players: 0 };
  const value = counted.reduce((sum, share) => sum + share.part, 0) / whole;
  if (players < 2) return { value, variance: Number.POSITIVE_INFINITY, players };
  const squares = counted.reduce((sum, share) => sum + (share.part - value * share.whole) ** 2, 0);
  const spread = (squares * players) / (players - 1) / whole ** 2;
  const effective = whole ** 2 / counted.reduce((sum, share) => sum + share.whole ** 2, 0);
  return { value, variance: Math.max(spread, 1 / effective ** 2), players };
}

/**
 * The interval of b less a that holds at every look: the asymptotic confidence sequence of Waudby-Smith, Arbour,
 * Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences", 2021
 * (arXiv 2103.06476, Theorem 2.2), tightest at `tunedTo` players. Null under 30 players a side.
 */
export function differenceInterval(a: RateEstimate, b: RateEstimate, alpha = ALPHA): Interval | null {
  if (Math.min(a.players, b.players) < MIN_PLAYERS) return null;
  const reach = sequentialReach(Math.sqrt(a.variance + b.variance), a.players + b.players, alpha);
  const delta = b.value - a.value;
  return { low: delta - reach, high: delta + reach };
}

/**
 * Half of the sequential interval's width, from the standard error of the difference and the number of players. The
 * paper's variance is that of one observation: the squared standard error times their number.
 */
export function sequentialReach(
  standardError: number,
  players: number,
  alpha = ALPHA,
  tunedTo = TUNED_PLAYERS,
) {
  // The mixing parameter that is best at `tunedTo` observations, as the paper's appendix approximates it.
  const rhoSquared = (-2 * Math.log(alpha) + Math.log(1 - 2 * Math.log(alpha))) / tunedTo;
  const information = players * rhoSquared;
  const boundary = (2 * (information + 1) * Math.log(Math.sqrt(information + 1) / alpha)) / information;
  return standardError * Math.sqrt(boundary);
}

/** Whether an interval leaves out 0. */
export function excludesZero(interval: Interval | null): boolean {
  return interval !== null && (interval.low > 0 || interval.high < 0);
}
