/** The permutation test of a difference in means. */
import { mean, sum } from "./averages.ts";

/**
 * How far the mean of `second` is above that of `first`, in standard deviations over all ways to divide the values into
 * two groups of these sizes. 0 without values, or if all are equal.
 *
 * E. J. G. Pitman, "Significance Tests which May be Applied to Samples from Any Populations", Supplement to the Journal of
 * the Royal Statistical Society 4 (1937), in the normal approximation.
 */
export function computePermutationZ(first: readonly number[], second: readonly number[]): number {
  const all = [...first, ...second];
  // Rounding errors would be all that remains of the variance.
  if (all.every((value) => value === all[0])) return 0;
  const center = mean(all);
  const squares = sum(all.map((value) => (value - center) ** 2));
  const variance = (first.length * second.length * squares) / (all.length * (all.length - 1));
  return variance > 0 ? (sum(second) - second.length * center) / Math.sqrt(variance) : 0;
}
