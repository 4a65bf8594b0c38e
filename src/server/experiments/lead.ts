/** The variant that is ahead in the primary metric, and whether the guardrail metric allows it to lead. */
import type { GuardrailResult, Lead } from "../../contract/experiments.ts";
import { differenceInterval } from "../../statistics/confidence-sequence.ts";
import { testNonInferiority } from "../../statistics/non-inferiority.ts";
import { planMetrics } from "./experiment-plan.ts";
import {
  computePrimaryAlpha,
  GUARDRAIL_MARGIN,
  GUARDRAIL_METRIC,
  PRIMARY_METRIC,
  type VariantRates,
} from "./metrics.ts";

/**
 * The variant whose primary metric is significantly higher than in every other variant, with its difference from the
 * closest one. Null if there is no such variant, or if a variant has too few players.
 */
export function findLead(variants: readonly VariantRates[]): Lead | null {
  const alpha = computePrimaryAlpha(variants.length);
  for (const variant of variants) {
    const b = variant.rates[PRIMARY_METRIC];
    const leads = variants.flatMap((other) => {
      if (other === variant) return [];
      const a = other.rates[PRIMARY_METRIC];
      const interval = differenceInterval(a, b, alpha);
      return [{ over: other.key, delta: b.value - a.value, interval, low: interval?.low ?? -1 }];
    });
    const [closest] = leads.sort((x, y) => x.low - y.low);
    if (!closest?.interval || closest.interval.low <= 0) continue;
    const { over, delta, interval } = closest;
    return {
      variant: variant.key,
      metric: PRIMARY_METRIC,
      ...{ over, delta, interval },
      early: isEarly(variants),
      guardrail: checkGuardrail(variant, variants),
    };
  }
  return null;
}

/** The key of the variant that is ahead, if it is shown to be safe. */
export function findLeader(lead: Lead | null): string | null {
  return lead?.guardrail.status === "safe" ? lead.variant : null;
}

/** Whether the guardrail metric of a variant is shown to be no worse than in every other variant. */
function checkGuardrail(variant: VariantRates, variants: readonly VariantRates[]): GuardrailResult {
  const increases = variants
    .filter((other) => other !== variant)
    .map(({ rates }) => differenceInterval(rates[GUARDRAIL_METRIC], variant.rates[GUARDRAIL_METRIC]));
  const { upperBound, status } = testNonInferiority(increases, GUARDRAIL_MARGIN);
  return { metric: GUARDRAIL_METRIC, margin: GUARDRAIL_MARGIN, upperBound, status };
}

/** Whether a variant has fewer players than planned for the primary metric. */
function isEarly(variants: readonly VariantRates[]): boolean {
  const planned = planMetrics(variants).find(({ metric }) => metric === PRIMARY_METRIC)?.players ?? [];
  return variants.some(({ rates }, at) => rates[PRIMARY_METRIC].players < (planned[at] ?? 0));
}
