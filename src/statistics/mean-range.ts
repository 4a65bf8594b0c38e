/** The range of a difference between the means of two groups, some of whose testers are the same. */
import { mean, sum } from "./averages.ts";
import { normalQuantile } from "./normal.ts";
import type { SplitValues } from "./row-tests.ts";
import type { Estimate } from "./share-range.ts";

/** A mean difference of one kind of testers, and the variance of it. */
interface Stratum {
  readonly weight: number;
  readonly value: number;
  readonly variance: number;
}

/**
 * The mean in b minus the mean in a, with a range at this confidence, in the unit of the values. Testers in both groups and
 * all others are two strata, weighted as `estimateShareDifference` weights them. Without testers in a group, the range has no
 * ends.
 */
export function estimateMeanDifference({ a, b, pairs }: SplitValues, confidence: number): Estimate {
  const differences = pairs.map(([inA, inB]) => inB - inA);
  const strata: Stratum[] = [];
  if (a.length > 0 && b.length > 0) {
    const weight = (a.length * b.length) / (a.length + b.length);
    strata.push({ weight, value: mean(b) - mean(a), variance: variance(a) + variance(b) });
  }
  if (differences.length > 0)
    strata.push({
      weight: differences.length / 2,
      value: mean(differences),
      variance: variance(differences),
    });
  if (strata.length === 0) return { value: 0, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const total = sum(strata.map(({ weight }) => weight));
  const value = sum(strata.map((stratum) => (stratum.weight / total) * stratum.value));
  const spread = sum(strata.map((stratum) => (stratum.weight / total) ** 2 * stratum.variance));
  const margin = normalQuantile((1 + confidence) / 2) * Math.sqrt(spread);
  return { value, low: value - margin, high: value + margin };
}

/** The variance of the mean of some values; infinite for one value. */
function variance(values: readonly number[]): number {
  if (values.length < 2) return Number.POSITIVE_INFINITY;
  const center = mean(values);
  const squares = sum(values.map((value) => (value - center) ** 2));
  return squares / (values.length - 1) / values.length;
}
