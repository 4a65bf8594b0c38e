/** Differences between variants, each with an interval that holds at every look, and the variant that leads. */
import type { Difference, Metric } from "../../contract/experiments.ts";
import { metrics } from "../../contract/experiments.ts";
import { hasCrash, type Player } from "./cohorts.ts";
import { type Returns, retentionShares } from "./retention.ts";
import {
  ALPHA,
  differenceInterval,
  type Estimate,
  estimate,
  LEAST_PLAYERS,
  leavesOutZero,
  type Share,
} from "./statistics.ts";

/** What is measured of one variant. */
export interface Measured {
  readonly key: string;
  readonly players: readonly Player[];
  /** Those whose device is known. */
  readonly returns: readonly Returns[];
}

/** What decides who leads: coming back is what a game is played for, and of the days the first has the most players. */
const DECIDES: Metric = "retention-1";
/** What a leader must not be worse at. */
const GUARDS: Metric = "crash-rate";

/** Every metric of every variant against the first, which is the baseline. */
export function differencesOf(variants: readonly Measured[], now: number): Difference[] {
  const [baseline, ...others] = variants;
  if (!baseline) return [];
  return others.flatMap((variant) =>
    metrics.map((metric) => {
      const [a, b] = [estimateOf(baseline, metric, now), estimateOf(variant, metric, now)];
      const interval = differenceInterval(a, b);
      return {
        metric,
        baseline: baseline.key,
        variant: variant.key,
        delta: b.value - a.value,
        interval,
        significant: leavesOutZero(interval),
      };
    }),
  );
}

/**
 * The variant whose players come back the next day more surely than those of every other, and whose sessions do not
 * crash more. The error of 5 % is divided by the number of pairs, so that many variants do not make a leader by
 * chance. Null under 30 players a variant, or where nothing is certain.
 */
export function leaderOf(variants: readonly Measured[], now: number): string | null {
  if (variants.length < 2) return null;
  if (variants.some(({ returns }) => returns.length < LEAST_PLAYERS)) return null;
  const alpha = ALPHA / ((variants.length * (variants.length - 1)) / 2);
  const beats = (one: Measured, other: Measured) => {
    const compare = (metric: Metric) =>
      differenceInterval(estimateOf(other, metric, now), estimateOf(one, metric, now), alpha);
    const [gain, crashes] = [compare(DECIDES), compare(GUARDS)];
    return gain !== null && gain.low > 0 && !(crashes !== null && crashes.low > 0);
  };
  const leader = variants.find((one) => variants.every((other) => other === one || beats(one, other)));
  return leader?.key ?? null;
}

function estimateOf(variant: Measured, metric: Metric, now: number): Estimate {
  return estimate(sharesOf(variant, metric, now));
}

function sharesOf({ players, returns }: Measured, metric: Metric, now: number): Share[] {
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
