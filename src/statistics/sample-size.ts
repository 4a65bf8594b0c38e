/** Sample sizes for differences between rates that are checked repeatedly: how many players are needed, and what they show. */
import { sum } from "./averages.ts";
import { MIN_PLAYERS, sequentialMargin } from "./confidence-sequence.ts";
import { findFirst } from "./family-power.ts";
import { normalQuantile } from "./normal.ts";
import type { RateEstimate } from "./rates.ts";

/** What to plan for: the variance of one player's contribution to the rate, and the tests of the difference. */
export interface DifferenceTest {
  readonly unitVariance: number;
  /** The significance level, 0 to 1. */
  readonly alpha: number;
  /** The probability of showing a difference that exists, 0 to 1. */
  readonly power: number;
}

/**
 * The pooled rate, and the variance of one player's contribution to it without the two players that estimateRate adds.
 * Null with fewer than MIN_PLAYERS players, and if no two players differ.
 */
export function poolRates(
  estimates: readonly RateEstimate[],
): { readonly rate: number; readonly unitVariance: number } | null {
  const measured = estimates.filter(({ players }) => players > 0);
  const total = sum(measured.map(({ players }) => players));
  if (total < MIN_PLAYERS) return null;
  const pool = (value: (estimate: RateEstimate) => number) =>
    sum(measured.map((estimate) => value(estimate) * estimate.players)) / total;
  const unitVariance = pool(({ variance, players }) => variance * players - 1 / players);
  return unitVariance > 0 ? { rate: pool(({ value }) => value), unitVariance } : null;
}

/**
 * The difference between the two smallest groups that is significant with the given power: as in a test at one look
 * (Chow, Shao and Wang, "Sample size calculations in clinical research", 2008, section 4.2), with the margin of the
 * sequential interval instead of the normal one. Earlier looks only add power. The squares are the variance of the two
 * players that estimateRate adds.
 */
export function computeDetectable(
  players: readonly number[],
  { unitVariance, alpha, power }: DifferenceTest,
): number {
  const [fewest = 0, next = 0] = [...players].sort((x, y) => x - y);
  const variance = (count: number) => unitVariance / count + 1 / count ** 2;
  const standardError = Math.sqrt(variance(fewest) + variance(next));
  return sequentialMargin(standardError, fewest + next, alpha) + normalQuantile(power) * standardError;
}

/**
 * The smallest total number of players with which the difference is detectable and each group has MIN_PLAYERS. `shares`
 * has the share of each group, 0 to 1.
 */
export function findSampleSize(shares: readonly number[], difference: number, test: DifferenceTest): number {
  const isEnough = (total: number) => {
    const players = shares.map((share) => share * total);
    return computeDetectable(players, test) <= difference;
  };
  const fewest = Math.ceil(MIN_PLAYERS / Math.min(...shares));
  let high = fewest;
  while (!isEnough(high)) high *= 2;
  return findFirst(Math.max(fewest, Math.floor(high / 2)), high, isEnough);
}
