/** Sums, means and medians. */

/** The sum; 0 for an empty list. */
export const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The mean, in the unit of the values; NaN for an empty list. */
export const mean = (values: readonly number[]) => sum(values) / values.length;

/** The median: the middle value, or the mean of the two middle values; 0 for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
