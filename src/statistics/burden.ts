/** Whether what differs between two groups is who is in them, for groups with testers in common. */
import { mean, sum } from "./averages.ts";
import { normalTail } from "./normal.ts";
import type { GroupSizes } from "./relabel.ts";
import type { RowValues } from "./row-tests.ts";

/**
 * The p-value of testers in one group only differing more between the groups than testers in both do: that b has more of all
 * outcomes together than a. If a build is worse, it is worse for both. Rows have the value 1 with an outcome, 0 without, and
 * NaN for testers who do not count. 1 if either kind has fewer than two testers in a group.
 */
export function testOthersMore({ onlyA, onlyB, both }: GroupSizes, rows: readonly RowValues[]): number {
  const burdens = computeBurdens(onlyA + onlyB + 2 * both, rows);
  const known = (from: number, to: number) =>
    [...burdens.subarray(from, to)].filter((one) => !Number.isNaN(one));
  const single = onlyA + onlyB;
  const [a, b] = [known(0, onlyA), known(onlyA, single)];
  const pairs = Array.from({ length: both }, (_, pair) => {
    const at = single + 2 * pair;
    return (burdens[at + 1] ?? Number.NaN) - (burdens[at] ?? Number.NaN);
  }).filter((one) => !Number.isNaN(one));
  if (Math.min(a.length, b.length, pairs.length) < 2) return 1;
  const variance = computeVariance(a) + computeVariance(b) + computeVariance(pairs);
  if (variance === 0) return 1;
  return normalTail((mean(b) - mean(a) - mean(pairs)) / Math.sqrt(variance));
}

/** For each record, how much more than average it has of the outcomes for which it counts; NaN if for none. */
function computeBurdens(records: number, rows: readonly RowValues[]): Float64Array {
  const [totals, counts] = [new Float64Array(records), new Float64Array(records)];
  for (const values of rows) {
    const center = computeCenter(values);
    for (let at = 0; at < records; at += 1) {
      const value = values[at] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      totals[at] = (totals[at] ?? 0) + value - center;
      counts[at] = (counts[at] ?? 0) + 1;
    }
  }
  return totals.map((total, at) => total / (counts[at] ?? 0));
}

/** The mean of the values of testers who count. */
function computeCenter(values: RowValues): number {
  let [total, count] = [0, 0];
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    total += value;
    count += 1;
  }
  return total / count;
}

/** The variance of the mean of some values. */
function computeVariance(values: readonly number[]): number {
  const center = mean(values);
  return sum(values.map((value) => (value - center) ** 2)) / (values.length - 1) / values.length;
}
