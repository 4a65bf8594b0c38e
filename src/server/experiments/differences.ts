/** Differences between variants with sequential confidence intervals, and the leading variant. */
import type { ExperimentMetric, VariantDifference } from "../../contract/experiments.ts";
import { experimentMetrics } from "../../contract/experiments.ts";
import { hasCrash, type Player } from "./cohorts.ts";
import { type DeviceSessionTimes, retentionShares } from "./retention.ts";
import {
  ALPHA,
  differenceInterval,
  estimateRate,
  excludesZero,
  MIN_PLAYERS,
  type RateContribution,
  type RateEstimate,
} from "./statistics.ts";

/** The data of one variant that metrics are computed from. */
export interface VariantMeasurements {
  readonly key: string;
  readonly players: readonly Player[];
  /** Session times of the players with a known device. */
  readonly returns: readonly DeviceSessionTimes[];
}

/** The metric that decides which variant leads. Day 1 has the most eligible players of all retention days. */
const PRIMARY_METRIC: ExperimentMetric = "retention-1";
/** The metric in which a leader must not be significantly worse. */
const GUARDRAIL_METRIC: ExperimentMetric = "crash-rate";

/** Compares every metric of every variant with the first variant, which is the baseline. */
export function computeDifferences(
  variants: readonly VariantMeasurements[],
  now: number,
): VariantDifference[] {
  const [baseline, ...others] = variants;
  if (!baseline) return [];
  return others.flatMap((variant) =>
    experimentMetrics.map((metric) => {
      const [a, b] = [estimateMetric(baseline, metric, now), estimateMetric(variant, metric, now)];
      const interval = differenceInterval(a, b);
      return {
        metric,
        baseline: baseline.key,
        variant: variant.key,
        delta: b.value - a.value,
        interval,
        significant: excludesZero(interval),
      };
    }),
  );
}

/**
 * The variant whose primary metric is significantly higher than in every other variant, and whose guardrail metric is
 * not significantly worse. The significance level of 5% is divided by the number of pairs (Bonferroni correction), so
 * that more variants do not produce a leader by chance. Null if there is no such variant, or if a variant has fewer
 * than MIN_PLAYERS players.
 */
export function findLeader(variants: readonly VariantMeasurements[], now: number): string | null {
  if (variants.length < 2) return null;
  if (variants.some(({ returns }) => returns.length < MIN_PLAYERS)) return null;
  const alpha = ALPHA / ((variants.length * (variants.length - 1)) / 2);
  const beats = (variant: VariantMeasurements, other: VariantMeasurements) => {
    const compare = (metric: ExperimentMetric) =>
      differenceInterval(estimateMetric(other, metric, now), estimateMetric(variant, metric, now), alpha);
    const [gain, crashes] = [compare(PRIMARY_METRIC), compare(GUARDRAIL_METRIC)];
    return gain !== null && gain.low > 0 && !(crashes !== null && crashes.low > 0);
  };
  const leader = variants.find((variant) =>
    variants.every((other) => other === variant || beats(variant, other)),
  );
  return leader?.key ?? null;
}

function estimateMetric(variant: VariantMeasurements, metric: ExperimentMetric, now: number): RateEstimate {
  return estimateRate(collectContributions(variant, metric, now));
}

function collectContributions(
  { players, returns }: VariantMeasurements,
  metric: ExperimentMetric,
  now: number,
): RateContribution[] {
  switch (metric) {
    case "retention-1":
      return retentionShares(returns, 1, now);
    case "retention-2":
      return retentionShares(returns, 2, now);
    case "retention-7":
      return retentionShares(returns, 7, now);
    case "crash-rate":
      return players.map(({ sessions }) => ({
        part: sessions.filter(hasCrash).length,
        whole: sessions.length,
      }));
    case "engagement":
      return players.map(({ sessions }) => ({
        part: sessions.reduce((sum, session) => sum + session.active_ms, 0),
        whole: sessions.reduce((sum, session) => sum + session.wall_ms, 0),
      }));
  }
}
