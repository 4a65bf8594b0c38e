/** The rank-sum test: whether the values of one group are larger than those of another. */

/**
 * How far the rank sum of `second` is above what equal groups have, in standard deviations. Values that occur more than
 * once share their mean rank, and the deviation is corrected for them. 0 without values, or if all are equal.
 *
 * H. B. Mann and D. R. Whitney, "On a Test of Whether one of Two Random Variables is Stochastically Larger than the
 * Other", Annals of Mathematical Statistics 18 (1947). Ties: E. L. Lehmann, "Nonparametrics" (1975), section 1.4.
 */
export function computeRankSumZ(first: readonly number[], second: readonly number[]): number {
  const total = first.length + second.length;
  const product = first.length * second.length;
  const sorted = [
    ...first.map((value) => ({ value, isSecond: false })),
    ...second.map((value) => ({ value, isSecond: true })),
  ].sort((x, y) => x.value - y.value);
  let [rankSum, ties] = [0, 0];
  for (let start = 0; start < total; ) {
    let [end, ofSecond] = [start, 0];
    for (; end < total && sorted[end]?.value === sorted[start]?.value; end += 1)
      ofSecond += sorted[end]?.isSecond ? 1 : 0;
    const size = end - start;
    rankSum += (ofSecond * (start + 1 + end)) / 2;
    ties += size ** 3 - size;
    start = end;
  }
  if (product === 0) return 0;
  const variance = (product / 12) * (total + 1 - ties / (total * (total - 1)));
  const expected = (second.length * (total + 1)) / 2;
  return variance > 0 ? (rankSum - expected) / Math.sqrt(variance) : 0;
}
