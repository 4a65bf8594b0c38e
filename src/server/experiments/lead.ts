/** Which variant is ahead in the primary metric, and whether the guardrail metric of a variant is no worse. */
import type { GuardResult, Lead } from "../../contract/experiments.ts";
import { ALPHA, differenceInterval } from "../../statistics/confidence-sequence.ts";
import type { Interval } from "../../statistics/intervals.ts";
import { computePrimaryAlpha, GUARDRAIL_METRIC, PRIMARY_METRIC, type VariantRates } from "./metrics.ts";

/**
 * The variant whose primary metric is significantly higher than in every other variant, with its difference from the
 * closest one. Null if there is no such variant, or if a variant has too few players.
 */
export function findLead(variants: readonly VariantRates[]): Omit<Lead, "early"> | null {
  for (const variant of variants) {
    const leads = variants.flatMap((other) => {
      if (other === variant) return [];
      const interval = comparePrimary(other, variant, variants.length);
      const delta = variant.rates[PRIMARY_METRIC].value - other.rates[PRIMARY_METRIC].value;
      return [{ over: other.key, delta, interval, low: interval?.low ?? -1 }];
    });
    const [closest] = leads.sort((x, y) => x.low - y.low);
    if (!closest?.interval || closest.interval.low <= 0) continue;
    const { over, delta, interval } = closest;
    return { variant: variant.key, metric: PRIMARY_METRIC, over, delta, interval };
  }
  return null;
}

/** The interval of the primary metric of b minus that of a, corrected for the number of variants; null with too few players. */
export const comparePrimary = (a: VariantRates, b: VariantRates, variants: number): Interval | null =>
  differenceInterval(a.rates[PRIMARY_METRIC], b.rates[PRIMARY_METRIC], computePrimaryAlpha(variants));

const UNKNOWN: Interval = { low: -1, high: 1 };

/** The smallest margin of a guard. */
const MIN_MARGIN = 0.02;

/** The largest increase over a rate of the control that does not matter, unless the experiment sets one. Both from 0 to 1. */
export const computeMargin = (rate: number): number => Math.max(MIN_MARGIN, rate / 2);

/**
 * Whether the guardrail metric of a variant is shown to be no worse than in the control by more than a margin. That no
 * increase is significant would not be enough: with few players it shows nothing (Piaggio et al., "Reporting of
 * noninferiority and equivalence randomized trials", JAMA 308, 2012). Only an increase matters for it, so the
 * bound has the full level.
 */
export function checkGuard(control: VariantRates, variant: VariantRates, given: number | null): GuardResult {
  const [a, b] = [control.rates[GUARDRAIL_METRIC], variant.rates[GUARDRAIL_METRIC]];
  const margin = given ?? computeMargin(a.value);
  const { low, high } = differenceInterval(a, b) ?? UNKNOWN;
  const upperBound = (differenceInterval(a, b, 2 * ALPHA) ?? UNKNOWN).high;
  const safe = upperBound < margin;
  const status = low > 0 ? "worse" : high < 0 ? "better" : safe ? "ruled out" : "unclear";
  return { variant: variant.key, metric: GUARDRAIL_METRIC, margin, upperBound, status, safe };
}
