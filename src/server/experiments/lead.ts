/** The variant that is ahead in the primary metric, and whether the guardrail metric allows it to lead. */
import type { GuardrailResult, Lead } from "../../contract/experiments.ts";
import {
  computePrimaryAlpha,
  GUARDRAIL_MARGIN,
  GUARDRAIL_METRIC,
  PRIMARY_METRIC,
  type VariantRates,
} from "./metrics.ts";
import { planMetrics } from "./plan.ts";
import { differenceInterval } from "./sequential.ts";

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

/**
 * Tests non-inferiority: the variant is safe if the upper end of the interval of its increase over every other variant is
 * below the margin. Each interval has the full significance level, because all must be below (the intersection-union test
 * of Berger, "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24, 1982). That no increase is
 * significant would not be enough: with few players it shows nothing (Piaggio et al., "Reporting of noninferiority and
 * equivalence randomized trials", JAMA 308, 2012).
 */
function checkGuardrail(variant: VariantRates, variants: readonly VariantRates[]): GuardrailResult {
  const intervals = variants
    .filter((other) => other !== variant)
    .map(({ rates }) => differenceInterval(rates[GUARDRAIL_METRIC], variant.rates[GUARDRAIL_METRIC]));
  const upperBound = Math.max(...intervals.map((interval) => interval?.high ?? 1));
  const isWorse = intervals.some((interval) => interval !== null && interval.low > 0);
  const status = upperBound < GUARDRAIL_MARGIN ? "safe" : isWorse ? "worse" : "unknown";
  return { metric: GUARDRAIL_METRIC, margin: GUARDRAIL_MARGIN, upperBound, status };
}

/** Whether a variant has fewer players than planned for the primary metric. */
function isEarly(variants: readonly VariantRates[]): boolean {
  const planned = planMetrics(variants).find(({ metric }) => metric === PRIMARY_METRIC)?.players ?? [];
  return variants.some(({ rates }, at) => rates[PRIMARY_METRIC].players < (planned[at] ?? 0));
}
