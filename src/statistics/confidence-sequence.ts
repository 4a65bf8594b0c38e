/** Always-valid intervals and p-values of differences between rates: they remain valid for any number of checks of the experiment. */
import type { Interval } from "./intervals.ts";
import { normalTail } from "./normal.ts";
import type { RateEstimate } from "./rates.ts";

/** Significance level: the probability that an interval ever excludes the true difference. */
export const ALPHA = 0.05;
/** Total number of players at which the sequential interval is tightest. */
export const TUNED_PLAYERS = 200;
/** Minimum players per variant to compute an interval of a difference: the sequential interval is asymptotic. */
export const MIN_PLAYERS = 30;

/** The optimal mixing parameter (squared) for ALPHA, by the approximation in the appendix of the paper. */
const MIXING = -2 * Math.log(ALPHA) + Math.log(1 - 2 * Math.log(ALPHA));

/**
 * The interval of b - a: the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas,
 * "Time-uniform central limit theory and asymptotic confidence sequences", 2021 (arXiv 2103.06476, Theorem 2.2). Null if
 * either side has fewer than MIN_PLAYERS players.
 */
export function differenceInterval(a: RateEstimate, b: RateEstimate, alpha = ALPHA): Interval | null {
  if (Math.min(a.players, b.players) < MIN_PLAYERS) return null;
  const margin = sequentialMargin(Math.sqrt(a.variance + b.variance), a.players + b.players, alpha);
  const delta = b.center - a.center;
  return { low: Math.max(-1, delta - margin), high: Math.min(1, delta + margin) };
}

/**
 * The always-valid p-value of a difference: the smallest level at which the interval excludes 0 (Johari, Koomen,
 * Pekelis and Walsh, "Always valid inference: continuous monitoring of A/B tests", Operations Research 70, 2022). Null if
 * either side has fewer than MIN_PLAYERS players.
 */
export function sequentialPValue(a: RateEstimate, b: RateEstimate): number | null {
  if (Math.min(a.players, b.players) < MIN_PLAYERS) return null;
  const information = computeInformation(a.players + b.players);
  const squared = (b.center - a.center) ** 2 / (a.variance + b.variance);
  const exponent = (squared * information) / (2 * (information + 1));
  return Math.min(1, Math.sqrt(information + 1) * Math.exp(-exponent));
}

/**
 * The level of a one-sided test of this many players, for tests that are repeated any number of times: the normal
 * probability beyond the end of the sequential interval, so that any of them rejects an equal pair with the probability alpha.
 */
export const computeLookLevel = (players: number, alpha: number): number =>
  normalTail(sequentialMargin(1, players, 2 * alpha));

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
): number {
  const information = computeInformation(players, tunedTo);
  const boundary = (2 * (information + 1) * Math.log(Math.sqrt(information + 1) / alpha)) / information;
  return standardError * Math.sqrt(boundary);
}

/** The number of players times the mixing parameter. It does not depend on the level, so that p-values and intervals agree. */
function computeInformation(players: number, tunedTo = TUNED_PLAYERS): number {
  return (players * MIXING) / tunedTo;
}
