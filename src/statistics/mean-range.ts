/** The range of a difference between the means of two groups, some of whose testers are the same. */
import { mean } from "./averages.ts";
import { normalQuantile } from "./normal.ts";
import type { GroupSizes } from "./relabel.ts";
import type { RowValues } from "./row-tests.ts";
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
export function estimateMeanDifference(
  { onlyA, onlyB, both }: GroupSizes,
  values: RowValues,
  confidence: number,
): Estimate {
  const [a, b, differences]: [number[], number[], number[]] = [[], [], []];
  const add = (group: number[], value: number | null) => (value === null ? 0 : group.push(value));
  const single = onlyA + onlyB;
  for (let at = 0; at < single; at += 1) add(at < onlyA ? a : b, values[at] ?? null);
  for (let pair = 0; pair < both; pair += 1) {
    const [inA, inB] = [values[single + 2 * pair] ?? null, values[single + 2 * pair + 1] ?? null];
    if (inA !== null && inB !== null) differences.push(inB - inA);
    else {
      add(a, inA);
      add(b, inB);
    }
  }
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
  const total = strata.reduce((sum, { weight }) => sum + weight, 0);
  const value = strata.reduce((sum, stratum) => sum + (stratum.weight / total) * stratum.value, 0);
  const spread = strata.reduce((sum, stratum) => sum + (stratum.weight / total) ** 2 * stratum.variance, 0);
  const margin = normalQuantile((1 + confidence) / 2) * Math.sqrt(spread);
  return { value, low: value - margin, high: value + margin };
}

/** The variance of the mean of some values; infinite for one value. */
function variance(values: readonly number[]): number {
  if (values.length < 2) return Number.POSITIVE_INFINITY;
  const center = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0);
  return squares / (values.length - 1) / values.length;
}
