/** The sample size: how many players an experiment needs, and what its players so far can show. */
import type { ExperimentMetric, MetricPlan } from "../../contract/experiments.ts";
import {
  computePrimaryAlpha,
  GUARDRAIL_MARGIN,
  GUARDRAIL_METRIC,
  PRIMARY_METRIC,
  type VariantRates,
} from "./metrics.ts";
import type { RateEstimate } from "./rates.ts";
import { ALPHA, MIN_PLAYERS, sequentialMargin } from "./sequential.ts";

/** The difference of the primary metric that the sample size is planned for: 5 percentage points. */
export const PLANNED_DIFFERENCE = 0.05;
/** The probability of showing the planned difference if it exists. */
export const PLANNED_POWER = 0.8;
/** The normal quantile of the planned power. */
const Z_POWER = 0.8416212335729143;

/** Rates for which sample sizes are planned until they can be measured. */
const ASSUMED_PRIMARY_RATE = 0.5;
const ASSUMED_GUARDRAIL_RATE = 0.01;

/**
 * The sample sizes of the two metrics that decide: to show a difference of the primary metric, and to show that the
 * guardrail metric does not increase by its margin if it does not change.
 */
export function planMetrics(variants: readonly VariantRates[]): MetricPlan[] {
  if (variants.length < 2) return [];
  const alpha = computePrimaryAlpha(variants.length);
  return [
    planMetric(variants, PRIMARY_METRIC, {
      alpha,
      difference: PLANNED_DIFFERENCE,
      rate: ASSUMED_PRIMARY_RATE,
    }),
    planMetric(variants, GUARDRAIL_METRIC, {
      alpha: ALPHA,
      difference: GUARDRAIL_MARGIN,
      rate: ASSUMED_GUARDRAIL_RATE,
    }),
  ];
}

interface PlanTarget {
  readonly alpha: number;
  readonly difference: number;
  /** The rate to assume without measurements. */
  readonly rate: number;
}

function planMetric(
  variants: readonly VariantRates[],
  metric: ExperimentMetric,
  { alpha, difference, rate: assumedRate }: PlanTarget,
): MetricPlan {
  const estimates = variants.map(({ rates }) => rates[metric]);
  const measured = measurePlayers(estimates);
  const { rate, unitVariance } = measured ?? {
    rate: assumedRate,
    unitVariance: assumedRate * (1 - assumedRate),
  };
  const shares = variants.map(({ share }) => share);
  const detectableWith = (players: readonly number[]) => computeDetectable(players, unitVariance, alpha);
  const total = findSmallest(
    Math.ceil(MIN_PLAYERS / Math.min(...shares)),
    (players) => detectableWith(shares.map((share) => share * players)) <= difference,
  );
  const players = estimates.map((estimate) => estimate.players);
  return {
    metric,
    rate,
    rateAssumed: measured === null,
    difference,
    power: PLANNED_POWER,
    players: shares.map((share) => Math.ceil(share * total)),
    detectable: Math.min(...players) < MIN_PLAYERS ? null : Math.min(1, detectableWith(players)),
  };
}

/**
 * The pooled rate, and the variance of one player's contribution to it without the two players that estimateRate adds.
 * Null with fewer than MIN_PLAYERS players, and if no two players differ.
 */
function measurePlayers(
  estimates: readonly RateEstimate[],
): { readonly rate: number; readonly unitVariance: number } | null {
  const measured = estimates.filter(({ players }) => players > 0);
  const total = measured.reduce((sum, { players }) => sum + players, 0);
  if (total < MIN_PLAYERS) return null;
  const mean = (value: (estimate: RateEstimate) => number) =>
    measured.reduce((sum, estimate) => sum + value(estimate) * estimate.players, 0) / total;
  const unitVariance = mean(({ variance, players }) => variance * players - 1 / players);
  return unitVariance > 0 ? { rate: mean(({ value }) => value), unitVariance } : null;
}

/**
 * The difference between the two smallest variants that is significant with the planned power: as in a test at one look
 * (Chow, Shao and Wang, "Sample size calculations in clinical research", 2008, section 4.2), with the margin of the
 * sequential interval instead of the normal one. Earlier looks only add power. The squares are the variance of the two players
 * that estimateRate adds.
 */
function computeDetectable(players: readonly number[], unitVariance: number, alpha: number): number {
  const [fewest = 0, next = 0] = [...players].sort((x, y) => x - y);
  const variance = (count: number) => unitVariance / count + 1 / count ** 2;
  const standardError = Math.sqrt(variance(fewest) + variance(next));
  return sequentialMargin(standardError, fewest + next, alpha) + Z_POWER * standardError;
}

/** The smallest integer from `start` for which the condition holds. It must hold for every larger integer as well. */
function findSmallest(start: number, condition: (value: number) => boolean): number {
  let high = start;
  while (!condition(high)) high *= 2;
  let low = Math.max(start, Math.floor(high / 2));
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (condition(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}
