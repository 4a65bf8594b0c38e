/** How many players an experiment needs for a decision, from the rates so far. */
import type { ExperimentVerdict, GuardResult, Lead } from "../../contract/experiments.ts";
import { ALPHA } from "../../statistics/confidence-sequence.ts";
import { findSampleSize, poolRates } from "../../statistics/sample-size.ts";
import { computePrimaryAlpha, GUARDRAIL_METRIC, PRIMARY_METRIC, type VariantRates } from "./metrics.ts";

/** The smallest difference of the primary metric that is looked for: 5 percentage points. */
export const MIN_DIFFERENCE = 0.05;
/** The probability of showing a difference that exists. */
const POWER = 0.8;
/** Rates that are assumed until they can be measured. */
const ASSUMED_RATES = { [PRIMARY_METRIC]: 0.5, [GUARDRAIL_METRIC]: 0.01 };

interface PlannedPlayers
  extends Pick<ExperimentVerdict, "playersNeeded" | "soughtDifference" | "rateAssumed"> {
  /** Whether a variant has fewer players than the difference of the primary metric needs. */
  readonly isEarly: boolean;
}

/**
 * Plans the players of each variant: to show the difference of the primary metric, and for each guard that is unclear, that it
 * is safe if it does not change. Leads that are found early are too large on average, so half of a lead is looked for.
 */
export function planPlayers(
  variants: readonly VariantRates[],
  { lead, guards }: { readonly lead: Pick<Lead, "delta"> | null; readonly guards: readonly GuardResult[] },
): PlannedPlayers {
  const soughtDifference = Math.max(MIN_DIFFERENCE, (lead?.delta ?? 0) / 2);
  const shares = variants.map(({ share }) => share);
  const plan = (metric: keyof typeof ASSUMED_RATES, difference: number, alpha: number) => {
    const measured = poolRates(variants.map(({ rates }) => rates[metric]));
    const assumed = ASSUMED_RATES[metric];
    const unitVariance = measured?.unitVariance ?? assumed * (1 - assumed);
    const total = findSampleSize(shares, difference, { unitVariance, alpha, power: POWER });
    return { total, isAssumed: measured === null };
  };
  const primary = plan(PRIMARY_METRIC, soughtDifference, computePrimaryAlpha(variants.length));
  const plans = [
    primary,
    ...guards
      .filter(({ status, margin }) => status === "unclear" && margin > 0)
      .map(({ margin }) => plan(GUARDRAIL_METRIC, margin, 2 * ALPHA)),
  ];
  const total = Math.max(...plans.map((one) => one.total));
  return {
    playersNeeded: shares.map((share) => Math.ceil(share * total)),
    soughtDifference,
    rateAssumed: plans.some(({ isAssumed }) => isAssumed),
    isEarly: variants.some(({ share, rates }) => rates[PRIMARY_METRIC].players < share * primary.total),
  };
}
