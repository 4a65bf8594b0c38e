/** The metrics of an experiment: which one decides, which one guards, and how each is measured in a variant. */
import type { ExperimentMetric, MetricRole } from "../../contract/experiments.ts";
import { ALPHA } from "../../statistics/confidence-sequence.ts";
import {
  estimateRate,
  type RateContribution,
  type RateEstimate,
  sumContributions,
} from "../../statistics/rates.ts";
import { hasCrash, type Player } from "./cohorts.ts";
import { type DeviceSessionTimes, retentionShares } from "./player-retention.ts";

/** The metric that decides which variant leads. Day 1 has the most eligible players of all retention days. */
export const PRIMARY_METRIC = "retention-1" satisfies ExperimentMetric;
/** The metric in which no variant may be worse than the first one. */
export const GUARDRAIL_METRIC = "crash-rate" satisfies ExperimentMetric;

export function getRole(metric: ExperimentMetric): MetricRole {
  if (metric === PRIMARY_METRIC) return "primary";
  return metric === GUARDRAIL_METRIC ? "guardrail" : "secondary";
}

/**
 * The significance level of one comparison of the primary metric. It is divided by the number of pairs (Bonferroni
 * correction), so that more variants do not produce a lead by chance.
 */
export function computePrimaryAlpha(variants: number): number {
  return ALPHA / Math.max(1, (variants * (variants - 1)) / 2);
}

/** The data of one variant that metrics are computed from. */
interface VariantMeasurements {
  readonly key: string;
  /** Its share of the players by allocation, 0 to 1. */
  readonly share: number;
  /** Its players with a known device. Sessions without a device may all belong to one person. */
  readonly players: readonly Player[];
  /** Session times of these players. */
  readonly returns: readonly DeviceSessionTimes[];
}

/** The estimated metrics of one variant. */
export interface VariantRates {
  readonly key: string;
  /** Its share of the players by allocation, 0 to 1. */
  readonly share: number;
  readonly rates: Readonly<Record<ExperimentMetric, RateEstimate>>;
}

export function estimateMetrics(
  { key, share, players, returns }: VariantMeasurements,
  now: number,
): VariantRates {
  const estimate = (shares: readonly RateContribution[]) => estimateRate(sumContributions(shares));
  return {
    key,
    share,
    rates: {
      "retention-1": estimate(retentionShares(returns, 1, now)),
      "retention-2": estimate(retentionShares(returns, 2, now)),
      "retention-7": estimate(retentionShares(returns, 7, now)),
      "crash-rate": estimate(crashShares(players)),
      engagement: estimate(engagementShares(players)),
    },
  };
}

/** Sessions with a crash per session of each player. */
export function crashShares(players: readonly Player[]): RateContribution[] {
  return players.map(({ sessions }) => ({ part: sessions.filter(hasCrash).length, whole: sessions.length }));
}

/** Active time per wall time of each player, in ms. */
export function engagementShares(players: readonly Player[]): RateContribution[] {
  return players.map(({ sessions }) => ({
    part: sessions.reduce((sum, { active_ms }) => sum + active_ms, 0),
    whole: sessions.reduce((sum, { wall_ms }) => sum + wall_ms, 0),
  }));
}
