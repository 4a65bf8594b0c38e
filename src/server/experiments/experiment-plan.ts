/** The sample size: how many players an experiment needs, and what its players so far can show. */
import type { ExperimentMetric, MetricPlan } from "../../contract/experiments.ts";
import { ALPHA, MIN_PLAYERS } from "../../statistics/confidence-sequence.ts";
import { computeDetectable, findSampleSize, poolRates } from "../../statistics/sample-size.ts";
import {
  computePrimaryAlpha,
  GUARDRAIL_MARGIN,
  GUARDRAIL_METRIC,
  PRIMARY_METRIC,
  type VariantRates,
} from "./metrics.ts";

/** The difference of the primary metric that the sample size is planned for: 5 percentage points. */
const PLANNED_DIFFERENCE = 0.05;
/** The probability of showing the planned difference if it exists. */
const PLANNED_POWER = 0.8;
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
  const measured = poolRates(estimates);
  const { rate, unitVariance } = measured ?? {
    rate: assumedRate,
    unitVariance: assumedRate * (1 - assumedRate),
  };
  const shares = variants.map(({ share }) => share);
  const test = { unitVariance, alpha, power: PLANNED_POWER };
  const total = findSampleSize(shares, difference, test);
  const players = estimates.map((estimate) => estimate.players);
  return {
    metric,
    rate,
    rateAssumed: measured === null,
    difference,
    power: PLANNED_POWER,
    players: shares.map((share) => Math.ceil(share * total)),
    detectable: Math.min(...players) < MIN_PLAYERS ? null : Math.min(1, computeDetectable(players, test)),
  };
}
