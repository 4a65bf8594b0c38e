/**
 * Fisher's exact test: whether the share of testers with an outcome, such as a tag, differs between two groups, such as the
 * testers of two builds.
 */
import { sumAttainable } from "./corrections.ts";

/** A two-by-two table: in each group, the testers with the outcome and all testers. */
export interface TwoByTwo {
  readonly testersA: number;
  readonly totalA: number;
  readonly testersB: number;
  readonly totalB: number;
}

/** `greater` tests for an increase from a to b only. */
type Alternative = "greater" | "two-sided";

/** No playtest has more testers. Larger counts are wrong, and nothing about them is significant. */
export const MAX_TESTERS = 100_000;

/** A value for each number of testers of b with the outcome that the margins of a table allow, from `fewest` upward. */
export interface ByTestersB {
  readonly fewest: number;
  readonly values: readonly number[];
}

/**
 * The probability of every number of testers of b with the outcome, given the margins of the table, if the groups do not
 * differ: the hypergeometric distribution. R. A. Fisher, "The Logic of Inductive Inference", Journal of the Royal Statistical
 * Society 98 (1935).
 */
export function computeProbabilities({ testersA, totalA, testersB, totalB }: TwoByTwo): ByTestersB {
  const withTag = testersA + testersB;
  const fewest = Math.max(0, withTag - totalA);
  const most = Math.max(fewest, Math.min(withTag, totalB));
  if (Math.max(totalA, totalB) > MAX_TESTERS) return { fewest: testersB, values: [1] };
  // The probability of `inB + 1` divided by that of `inB`. It falls, so there is one mode.
  const ratio = (inB: number) =>
    ((totalB - inB) * (withTag - inB)) / ((inB + 1) * (totalA - withTag + inB + 1));
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
 * testers of b have the outcome: the probability of at least that many if the groups do not differ. The p-values fall from
 * 1 to the smallest possible one.
 */
export function fisherTails(counts: TwoByTwo): FisherTails {
  const { testersA, totalA, testersB, totalB } = counts;
  const margins = `${testersA + testersB} ${totalA} ${totalB}`;
  const known = tailsByMargins.get(margins);
  if (known) return known;
  const computed = computeTails(counts);
  // Gates ask for the same margins many times, with every number of testers that an outcome could have.
  if (tailsByMargins.size >= MAX_CACHED) tailsByMargins.clear();
  if (totalA + totalB <= MAX_CACHED_TESTERS) tailsByMargins.set(margins, computed);
  return computed;
}

function computeTails(counts: TwoByTwo): FisherTails {
  const { fewest, values } = computeProbabilities(counts);
  let tail = 0;
  const tails = values.map(() => 0);
  for (let at = values.length - 1; at >= 0; at -= 1) {
    tail += values[at] ?? 0;
    tails[at] = Math.min(1, tail);
  }
  return { fewest, tails };
}

const swapGroups = ({ testersA, totalA, testersB, totalB }: TwoByTwo): TwoByTwo => ({
  testersA: testersB,
  totalA: totalB,
  testersB: testersA,
  totalB: totalA,
});

/**
 * The probability of a result at least this extreme if the groups do not differ: of at least this many testers of b with
 * the outcome. 1 if a group has nobody, or more than MAX_TESTERS. Two-sided, it is the probability that the smaller one-sided
 * p-value is at most this small. H. Blaker, "Confidence Curves and Improved Exact Confidence Intervals for Discrete
 * Distributions", Canadian Journal of Statistics 28 (2000). Its part for an increase is the one-sided p-value, so both tests
 * order increases in the same way.
 */
export function fisherPValue(counts: TwoByTwo, alternative: Alternative = "greater"): number {
  const directions = alternative === "greater" ? [counts] : [counts, swapGroups(counts)];
  const tests = directions.map((table) => {
    const { fewest, tails } = fisherTails(table);
    return { pValue: tails[table.testersB - fewest] ?? 1, tails };
  });
  const pValue = Math.min(...tests.map((test) => test.pValue));
  if (alternative === "greater") return pValue;
  return sumAttainable(
    tests.map(({ tails }) => tails),
    pValue,
  );
}
