/** Statistics: confidence intervals for rates and for the differences between them. */
import type { Interval } from "../../contract/experiments.ts";

/** Significance level: the probability that an interval does not contain the true value. */
export const ALPHA = 0.05;
/** The normal quantile of a two-sided 95% interval. */
const Z = 1.959963984540054;
/** Total number of players at which the sequential interval is tightest. */
export const TUNED_PLAYERS = 200;
/** Minimum players per variant to compute an interval of a difference: the sequential interval is asymptotic. */
export const MIN_PLAYERS = 30;

/**
 * The 95% Wilson score interval of a rate: Wilson, "Probable inference, the law of succession, and statistical
 * inference", 1927. For a total of 0 it is 0 to 1.
 */
export function wilsonInterval(successes: number, total: number): Interval {
  if (total === 0) return { low: 0, high: 1 };
  const rate = successes / total;
  const weight = Z ** 2 / total;
  const center = (rate + weight / 2) / (1 + weight);
  const margin = Math.sqrt(rate * (1 - rate) * weight + weight ** 2 / 4) / (1 + weight);
  // Rounding errors would otherwise give values slightly off 0 and 1.
  return {
    low: successes === 0 ? 0 : Math.max(0, center - margin),
    high: successes === total ? 1 : Math.min(1, center + margin),
  };
}

/** One player's contribution to a rate: crashes per sessions, active ms per wall ms, or retained (0 or 1) per 1. */
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
 * Estimates a rate as the sum of the parts divided by the sum of the wholes. The sessions of one player are correlated,
 * so the unit is the player, and the variance is that of a ratio of means by the delta method (Deng et al., "Applying
 * the delta method in metric analytics", 2018).
 *
 * The variance is at least 1 / n², where n is Kish's effective sample size ("Survey Sampling", 1965): the number of
 * players if all have the same weight, and less otherwise. Without this minimum, identical players would make the rate
 * certain, and one player who outweighs many others would too.
 */
export function estimateRate(shares: readonly RateContribution[]): RateEstimate {
  const weighted = shares.filter(({ whole }) => whole > 0);
  const players = weighted.length;
  const whole = weighted.reduce((sum, share) => sum + share.whole, 0);
  if (whole === 0) return { value: 0, variance: Number.POSITIVE_INFINITY, players: 0 };
  const value = weighted.reduce((sum, share) => sum + share.part, 0) / whole;
  if (players < 2) return { value, variance: Number.POSITIVE_INFINITY, players };
  const squares = weighted.reduce((sum, share) => sum + (share.part - value * share.whole) ** 2, 0);
  const variance = (squares * players) / (players - 1) / whole ** 2;
  const effective = whole ** 2 / weighted.reduce((sum, share) => sum + share.whole ** 2, 0);
  return { value, variance: Math.max(variance, 1 / effective ** 2), players };
}

/**
 * The interval of b - a, valid no matter how often the experiment is checked: the asymptotic confidence sequence of
 * Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic confidence
 * sequences", 2021 (arXiv 2103.06476, Theorem 2.2). Null if either side has fewer than MIN_PLAYERS players.
 */
export function differenceInterval(a: RateEstimate, b: RateEstimate, alpha = ALPHA): Interval | null {
  if (Math.min(a.players, b.players) < MIN_PLAYERS) return null;
  const margin = sequentialMargin(Math.sqrt(a.variance + b.variance), a.players + b.players, alpha);
  const delta = b.value - a.value;
  return { low: delta - margin, high: delta + margin };
}

/**
 * Half the width of the sequential interval, from the standard error of the difference and the total number of players.
 * The interval is tightest at `tunedTo` players. The paper uses the variance of one observation, which is the squared
 * standard error times the number of observations.
 */
export function sequentialMargin(
  standardError: number,
  players: number,
  alpha = ALPHA,
  tunedTo = TUNED_PLAYERS,
) {
  // The optimal mixing parameter for `tunedTo` observations, by the approximation in the appendix of the paper.
  const rhoSquared = (-2 * Math.log(alpha) + Math.log(1 - 2 * Math.log(alpha))) / tunedTo;
  const information = players * rhoSquared;
  const boundary = (2 * (information + 1) * Math.log(Math.sqrt(information + 1) / alpha)) / information;
  return standardError * Math.sqrt(boundary);
}

/** Whether an interval does not contain 0. */
export function excludesZero(interval: Interval | null): boolean {
  return interval !== null && (interval.low > 0 || interval.high < 0);
}
