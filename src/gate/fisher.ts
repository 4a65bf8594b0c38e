/** One-sided Fisher's exact test for an increased share, and the correction for testing several tags. */

/** A two-by-two table: in each build, the testers with the tag and all testers. */
export interface TagCounts {
  readonly testersA: number;
  readonly totalA: number;
  readonly testersB: number;
  readonly totalB: number;
}

/** P-values within this relative distance are equal: different orders of summation round differently. */
const RELATIVE_TOLERANCE = 1e-9;

/**
 * All p-values that the one-sided test can return for the margins of a table. `tails[i]` is the p-value if `fewest + i`
 * testers of b have the tag: the probability of at least that many if the builds do not differ. The p-values fall from
 * 1 to the smallest possible one. R. A. Fisher, "The Logic of Inductive Inference" (1935).
 */
export function fisherTails({ testersA, totalA, testersB, totalB }: TagCounts): {
  readonly fewest: number;
  readonly tails: readonly number[];
} {
  const withTag = testersA + testersB;
  const fewest = Math.max(0, withTag - totalA);
  const most = Math.max(fewest, Math.min(withTag, totalB));
  // The probability of `inB + 1` divided by that of `inB` in the hypergeometric distribution.
  const ratio = (inB: number) =>
    ((totalB - inB) * (withTag - inB)) / ((inB + 1) * (totalA - withTag + inB + 1));
  // Start at the mode and move outward. Each weight is then at most 1, so large tables underflow to 0 but never overflow.
  const mode = Math.floor(((withTag + 1) * (totalB + 1)) / (totalA + totalB + 2));
  const start = Math.min(most, Math.max(fewest, mode)) - fewest;
  const weights = new Array<number>(most - fewest + 1).fill(1);
  for (let at = start + 1; at < weights.length; at += 1)
    weights[at] = (weights[at - 1] ?? 0) * ratio(fewest + at - 1);
  for (let at = start - 1; at >= 0; at -= 1) weights[at] = (weights[at + 1] ?? 0) / ratio(fewest + at);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  let tail = 0;
  const tails = weights.map(() => 0);
  for (let at = weights.length - 1; at >= 0; at -= 1) {
    tail += (weights[at] ?? 0) / sum;
    tails[at] = Math.min(1, tail);
  }
  return { fewest, tails };
}

/** The probability that b has at least this many testers with the tag if the builds do not differ. */
export function fisherPValue(counts: TagCounts): number {
  const { fewest, tails } = fisherTails(counts);
  return tails[counts.testersB - fewest] ?? 1;
}

/**
 * P-values corrected for multiple tests. Each is the sum, over all tags, of the largest p-value that the tag can produce
 * at or below the uncorrected one. Like Bonferroni's correction, this limits the probability of any false alarm for any
 * dependence between the tags, but rare tags cost less because they can only produce large p-values. P. H. Westfall and R. D. Wolfinger, "Multiple Tests with Discrete Distributions", The American Statistician
 * 51 (1997), after R. E. Tarone (1990).
 */
export function adjustPValues(tables: readonly TagCounts[]): number[] {
  const all = tables.map((table) => fisherTails(table).tails);
  return tables.map((table) => {
    const p = fisherPValue(table) * (1 + RELATIVE_TOLERANCE);
    let sum = 0;
    for (const tails of all) sum += findLargestTailAtMost(tails, p);
    return Math.min(1, sum);
  });
}

/** The largest of the falling p-values that is at most `p`, or 0. */
function findLargestTailAtMost(tails: readonly number[], p: number): number {
  let [low, high] = [0, tails.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tails[middle] ?? 0) <= p) high = middle;
    else low = middle + 1;
  }
  return tails[low] ?? 0;
}
