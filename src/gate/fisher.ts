/** Fisher's exact test that a share has grown, and the correction for having looked at several tags. */

/** One tag in two builds: testers who met it, and testers who could have. */
export interface TagCounts {
  readonly testersA: number;
  readonly totalA: number;
  readonly testersB: number;
  readonly totalB: number;
}

/** Two p-values nearer to each other than this, relatively, are the same: they come by different sums. */
const RELATIVE_TOLERANCE = 1e-9;

/**
 * The p-values that Fisher's test can give for the margins of a table, by the testers of b who met the tag: from the
 * fewest there can be (1) to the most (the smallest). One-sided: the chance of so many or more in b, where builds make
 * no difference. R. A. Fisher, "The Logic of Inductive Inference" (1935).
 */
export function fisherTails({ testersA, totalA, testersB, totalB }: TagCounts): {
  readonly fewest: number;
  readonly tails: readonly number[];
} {
  const met = testersA + testersB;
  const fewest = Math.max(0, met - totalA);
  const most = Math.max(fewest, Math.min(met, totalB));
  // The chance of one more in b to that of so many: the ratio of neighbours in the hypergeometric distribution.
  const ratio = (inB: number) => ((totalB - inB) * (met - inB)) / ((inB + 1) * (totalA - met + inB + 1));
  // From the likeliest outwards: there each weight is at most 1, and what is too small for a number is no chance.
  const likeliest = Math.floor(((met + 1) * (totalB + 1)) / (totalA + totalB + 2));
  const start = Math.min(most, Math.max(fewest, likeliest)) - fewest;
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

/** The chance that b would have so many testers with the tag, or more, where builds make no difference. */
export function fisherPValue(counts: TagCounts): number {
  const { fewest, tails } = fisherTails(counts);
  return tails[counts.testersB - fewest] ?? 1;
}

/**
 * P-values corrected for the number of tags: each is the sum, over all tags, of the largest p-value that the tag could
 * have shown at or below it. It holds the chance of any false alarm among all tags to the level, whatever the tags have
 * to do with each other, as Bonferroni does, but counts a tag that few testers met for no more than it could have
 * shown. P. H. Westfall and R. D. Wolfinger, "Multiple Tests with Discrete Distributions", The American Statistician
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

/** The largest of falling tails that is at most `p`; 0 where none is. */
function findLargestTailAtMost(tails: readonly number[], p: number): number {
  let [low, high] = [0, tails.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tails[middle] ?? 0) <= p) high = middle;
    else low = middle + 1;
  }
  return tails[low] ?? 0;
}
