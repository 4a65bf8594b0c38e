/** Differences between the variants and the first one, with sequential intervals and corrected p-values. */
import type { ExperimentMetric, MetricRole, VariantDifference } from "../../contract/experiments.ts";
import { experimentMetrics } from "../../contract/experiments.ts";
import { differenceInterval, sequentialPValue } from "../../statistics/confidence-sequence.ts";
import { adjustByHolm } from "../../statistics/corrections.ts";
import { excludesZero } from "../../statistics/intervals.ts";
import { getRole, type VariantRates } from "./metrics.ts";

/**
 * Compares every metric of every variant with the first variant, which is the baseline. P-values are corrected among the
 * primary differences, and separately among all others, so that the primary metric does not lose power to the others.
 */
export function computeDifferences(variants: readonly VariantRates[]): VariantDifference[] {
  const [baseline, ...others] = variants;
  if (!baseline) return [];
  const differences = others.flatMap((variant) =>
    experimentMetrics.map((metric) => computeDifference(baseline, variant, metric)),
  );
  const isPrimary = ({ role }: { readonly role: MetricRole }) => role === "primary";
  const adjusted = new Map(
    [differences.filter(isPrimary), differences.filter((difference) => !isPrimary(difference))].flatMap(
      (family) => {
        const pValues = adjustByHolm(family.map(({ pValue }) => pValue));
        return family.map((difference, at) => [difference, pValues[at] ?? null] as const);
      },
    ),
  );
  return differences.map((difference) => ({
    ...difference,
    adjustedPValue: adjusted.get(difference) ?? null,
  }));
}

function computeDifference(baseline: VariantRates, variant: VariantRates, metric: ExperimentMetric) {
  const [a, b] = [baseline.rates[metric], variant.rates[metric]];
  const interval = differenceInterval(a, b);
  return {
    metric,
    role: getRole(metric),
    baseline: baseline.key,
    variant: variant.key,
    delta: b.value - a.value,
    interval,
    significant: excludesZero(interval),
    pValue: sequentialPValue(a, b),
  };
}
