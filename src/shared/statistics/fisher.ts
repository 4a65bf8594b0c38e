/** Fisher's exact test for the share of testers with a tag in two builds, and the correction for testing several tags. */

/** A two-by-two table: in each build, the testers with the tag and all testers. */
export interface TagCounts {
  readonly testersA: number;
  readonly totalA: number;
  readonly testersB: number;
  readonly totalB: number;
  /**
   * The odds of the tag in b divided by those in a if the builds do not differ: more than 1 if b was played longer, and
   * less than 1 if a was. Default: 1.
   */
  readonly oddsRatio?: number;
}

/** `greater` tests for an increase from a to b only. */
export type Alternative = "greater" | "two-sided";

/** Probabilities within this relative distance are equal: different orders of summation round differently. */
const RELATIVE_TOLERANCE = 1e-9;

/** No playtest has more testers. Larger counts are wrong, and nothing about them is significant. */
export const MAX_TESTERS = 100_000;

/** A value for each number of testers of b with the tag that the margins of a table allow, from `fewest` upward. */
interface ByTestersB {
  readonly fewest: number;
  readonly values: readonly number[];
}

/**
 * The probability of every number of testers of b with the tag, given the margins of the table, if the builds do not
 * differ: the hypergeometric distribution, or Fisher's noncentral one if the odds ratio is not 1. R. A. Fisher, "The Logic
 * of Inductive Inference", Journal of the Royal Statistical Society 98 (1935).
 */
function computeProbabilities({ testersA, totalA, testersB, totalB, oddsRatio = 1 }: TagCounts): ByTestersB {
  const withTag = testersA + testersB;
  const fewest = Math.max(0, withTag - totalA);
  const most = Math.max(fewest, Math.min(withTag, totalB));
  if (Math.max(totalA, totalB) > MAX_TESTERS) return { fewest: testersB, values: [1] };
  // The probability of `inB + 1` divided by that of `inB`. It falls, so there is one mode.
  const ratio = (inB: number) =>
    (oddsRatio * ((totalB - inB) * (withTag - inB))) / ((inB + 1) * (totalA - withTag + inB + 1));
  // Start at the mode and move outward. Each weight is then at most 1, so large tables underflow to 0 but never overflow.
  let [low, mode] = [fewest, most];
  while (low < mode) {
    const middle = Math.floor((low + mode) / 2);
    if (ratio(middle) < 1) mode = middle;
    else low = middle + 1;
  }
  const weights = new Array<number>(most - fewest + 1).fill(1);
  for (let at = mode - fewest + 1; at < weights.length; at += 1)
    weights[at] = (weights[at - 1] ?? 0) * ratio(fewest + at - 1);
  for (let at = mode - fewest - 1; at >= 0; at -= 1)
    weights[at] = (weights[at + 1] ?? 0) / ratio(fewest + at);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return { fewest, values: weights.map((weight) => weight / sum) };
}

interface FisherTails {
  readonly fewest: number;
  readonly tails: readonly number[];
}

const tailsByMargins = new Map<string, FisherTails>();
/** Limits of the cache: about 8 MB. */
const [MAX_CACHED, MAX_CACHED_TESTERS] = [1_000, 1_000];

/**
 * All p-values that the one-sided test can return for the margins of a table. `tails[i]` is the p-value if `fewest + i`
 * testers of b have the tag: the probability of at least that many if the builds do not differ. The p-values fall from
 * 1 to the smallest possible one.
 */
export function fisherTails(counts: TagCounts): FisherTails {
  const { testersA, totalA, testersB, totalB, oddsRatio = 1 } = counts;
  const margins = `${testersA + testersB} ${totalA} ${totalB} ${oddsRatio}`;
  const known = tailsByMargins.get(margins);
  if (known) return known;
  const computed = computeTails(counts);
  // Gates ask for the same margins many times, with every number of testers that a tag could have.
  if (tailsByMargins.size >= MAX_CACHED) tailsByMargins.clear();
  if (totalA + totalB <= MAX_CACHED_TESTERS) tailsByMargins.set(margins, computed);
  return computed;
}

function computeTails(counts: TagCounts): FisherTails {
  const { fewest, values } = computeProbabilities(counts);
  let tail = 0;
  const tails = values.map(() => 0);
  for (let at = values.length - 1; at >= 0; at -= 1) {
    tail += values[at] ?? 0;
    tails[at] = Math.min(1, tail);
  }
  return { fewest, tails };
}

/** The test of one table in one or both directions. */
export interface DirectedTest {
  /** The one-sided p-value, or the smaller one of both directions. */
  readonly pValue: number;
  /** For each tested direction, all p-values that the margins allow, falling. */
  readonly attainable: readonly (readonly number[])[];
}

/**
 * Tests a table for an increase, or in both directions. Two-sided, an odds ratio other than 1 is the most that unequal play
 * explains: an increase is tested against the larger one of 1 and the ratio, and a decrease against the smaller one.
 */
export function testDirections(counts: TagCounts, alternative: Alternative): DirectedTest {
  const { oddsRatio = 1 } = counts;
  const directions =
    alternative === "greater"
      ? [counts]
      : [
          { ...counts, oddsRatio: Math.max(1, oddsRatio) },
          swapBuilds({ ...counts, oddsRatio: Math.min(1, oddsRatio) }),
        ];
  const tests = directions.map((table) => {
    const { fewest, tails } = fisherTails(table);
    return { pValue: tails[table.testersB - fewest] ?? 1, tails };
  });
  return {
    pValue: Math.min(...tests.map(({ pValue }) => pValue)),
    attainable: tests.map(({ tails }) => tails),
  };
}

const swapBuilds = ({ testersA, totalA, testersB, totalB, oddsRatio = 1 }: TagCounts): TagCounts => ({
  testersA: testersB,
  totalA: totalB,
  testersB: testersA,
  totalB: totalA,
  oddsRatio: 1 / oddsRatio,
});

/**
 * The probability of a result at least this extreme if the builds do not differ: of at least this many testers of b with
 * the tag. Two-sided, it is the probability that the smaller one-sided p-value is at most this small. H. Blaker,
 * "Confidence Curves and Improved Exact Confidence Intervals for Discrete Distributions", Canadian Journal of Statistics
 * 28 (2000). Its part for an increase is the one-sided p-value, so both tests order increases in the same way.
 */
export function fisherPValue(counts: TagCounts, alternative: Alternative = "greater"): number {
  const { pValue, attainable } = testDirections(counts, alternative);
  return alternative === "greater" ? pValue : sumAttainable(attainable, pValue);
}

/**
 * P-values corrected for multiple tests. Each is the sum, over all tags, of the largest p-value that the tag can produce
 * at or below the uncorrected one. Like Bonferroni's correction, this limits the probability of any false alarm for any
 * dependence between the tags, but rare tags cost less because they can only produce large p-values. P. H. Westfall and
 * R. D. Wolfinger, "Multiple Tests with Discrete Distributions", The American Statistician 51 (1997), after R. E. Tarone,
 * "A Modified Bonferroni Method for Discrete Data", Biometrics 46 (1990).
 */
export function adjustPValues(tables: readonly TagCounts[], alternative: Alternative = "greater"): number[] {
  const tests = tables.map((table) => testDirections(table, alternative));
  const family = tests.flatMap(({ attainable }) => attainable);
  return tests.map(({ pValue }) => sumAttainable(family, pValue));
}

/** The corrected p-value for an uncorrected one, given the falling p-values that each tag can produce. */
export function sumAttainable(falling: readonly (readonly number[])[], pValue: number): number {
  const limit = pValue * (1 + RELATIVE_TOLERANCE);
  let sum = 0;
  for (const pValues of falling) sum += findLargestAtMost(pValues, limit);
  return Math.min(1, sum);
}

/** The largest of the falling p-values that is at most `limit`, or 0. */
function findLargestAtMost(pValues: readonly number[], limit: number): number {
  let [low, high] = [0, pValues.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((pValues[middle] ?? 0) <= limit) high = middle;
    else low = middle + 1;
  }
  return pValues[low] ?? 0;
}
