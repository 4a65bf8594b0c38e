/**
 * Rates over players: a rate is the sum of the players' parts divided by the sum of their wholes, its denominator. The
 * player is the unit, because the sessions of one player are correlated.
 */
import { type Interval, wilsonInterval } from "./intervals.ts";
import { normalQuantile } from "./normal.ts";
import { studentQuantile } from "./student.ts";

/** One player's contribution to a rate: crashes per sessions, active ms per wall ms, or retained (0 or 1) per 1. */
export interface RateContribution {
  readonly part: number;
  readonly whole: number;
}

/** Sums over the players of a variant, from which a rate and its variance are computed. */
export interface RateSums {
  players: number;
  part: number;
  whole: number;
  partSquared: number;
  wholeSquared: number;
  product: number;
}

/** The sums of no players. */
export function createRateSums(): RateSums {
  return { players: 0, part: 0, whole: 0, partSquared: 0, wholeSquared: 0, product: 0 };
}

/** Adds one player. A contribution without a whole is ignored. */
export function addContribution(sums: RateSums, { part, whole }: RateContribution): void {
  if (whole <= 0) return;
  sums.players += 1;
  sums.part += part;
  sums.whole += whole;
  sums.partSquared += part ** 2;
  sums.wholeSquared += whole ** 2;
  sums.product += part * whole;
}

/** The sums of all players with a whole. */
export function sumContributions(contributions: readonly RateContribution[]): RateSums {
  const sums = createRateSums();
  for (const contribution of contributions) addContribution(sums, contribution);
  return sums;
}

/** The share outside each end of a 95% interval. */
const TAIL = 0.025;

export interface RateEstimate {
  /** The measured rate. 0 without players. */
  readonly value: number;
  /** The rate with two added players, on which intervals of differences are centered. */
  readonly center: number;
  /** The variance of `center`. Infinite without players. */
  readonly variance: number;
  readonly players: number;
}

/**
 * Estimates a rate for intervals of differences: one player with the rate 1 and one with the rate 0 are added first, as
 * in Agresti and Caffo, "Simple and effective confidence intervals for proportions and differences of proportions result
 * from adding two successes and two failures", The American Statistician 54 (2000). Without them, intervals of rare
 * outcomes and of small variants are too narrow.
 */
export function estimateRate(sums: RateSums): RateEstimate {
  const { players, part, whole } = sums;
  if (whole === 0) return { value: 0, center: 0, variance: Number.POSITIVE_INFINITY, players: 0 };
  const { rate, variance } = linearize(addPseudoPlayers(sums));
  return { value: part / whole, center: rate, variance, players };
}

/**
 * The 95% interval of a rate over clusters of correlated observations, such as crashes over the sessions of players: the
 * Wilson interval with the number of independent observations that has the same variance, reduced by the uncertainty of
 * that variance (Korn and Graubard, "Confidence intervals for proportions with small expected number of positive counts
 * estimated from survey data", Survey Methodology 24, 1998; Franco et al., "Comparative study of confidence intervals for
 * proportions in complex sample surveys", Journal of Survey Statistics and Methodology 7, 2019). The variance includes the
 * two players of estimateRate, because a few equal players have no variance. Without players it is 0 to 1.
 */
export function clusteredInterval(sums: RateSums): Interval {
  if (sums.whole === 0) return { low: 0, high: 1 };
  const { rate, variance } = linearize(addPseudoPlayers(sums));
  const players = sums.whole ** 2 / sums.wholeSquared;
  const fewer = normalQuantile(1 - TAIL) / studentQuantile(TAIL, players);
  const observations = ((rate * (1 - rate)) / variance) * fewer ** 2;
  return wilsonInterval((sums.part / sums.whole) * observations, observations);
}

/**
 * Adds a player with the rate 1 and one with the rate 0. Their whole is the mean whole, weighted by itself, so
 * that they count more if a few players outweigh the others: it is the sum of the wholes divided by the effective sample
 * size of Kish, "Survey Sampling" (1965).
 */
function addPseudoPlayers(sums: RateSums): RateSums {
  const whole = sums.wholeSquared / sums.whole;
  const added = { ...sums };
  addContribution(added, { part: whole, whole });
  addContribution(added, { part: 0, whole });
  return added;
}

/**
 * The rate and its variance as a ratio of means, by linearization: Deng, Knoblich and Lu, "Applying the delta method in
 * metric analytics", KDD 2018. For contributions of 0 or 1 per 1, it is the variance of a proportion.
 */
function linearize(sums: RateSums): { readonly rate: number; readonly variance: number } {
  const rate = sums.part / sums.whole;
  const squares = sums.partSquared - 2 * rate * sums.product + rate ** 2 * sums.wholeSquared;
  return { rate, variance: Math.max(0, squares) / sums.whole ** 2 };
}
