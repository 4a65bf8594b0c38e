/**
 * The exact test of two groups in which some testers are the same: each tester in both groups is a stratum of their own, and
 * all others are one more. Within a stratum, it compares only testers who are alike.
 */
import { binomialProbabilities } from "./binomial.ts";
import { computeProbabilities } from "./fisher.ts";
import { lowerToNormal, type Tails } from "./tails.ts";

/** What the test takes as given. */
export interface StratifiedMargins {
  /** Testers in one group only: those of a, those of b, and those of both groups with the outcome. */
  readonly totalA: number;
  readonly totalB: number;
  readonly withOutcome: number;
  /** Testers in both groups who had the outcome in one of them only. */
  readonly discordant: number;
}

/** Lowers p-values to those of a number of testers of b with the outcome: of at least, and of at most, this many. */
export type CountTest = (count: number, smallest: Tails) => void;

/** Up to this variance of the number of testers, its distribution is computed exactly. Above, it is close to normal. */
const MAX_EXACT_VARIANCE = 60;

/**
 * The p-values of the number of testers of b with the outcome: testers in one group only, and testers in both groups who had
 * it in b alone. Given the margins, the first is hypergeometric and the second binomial. J. J. Gart, "Point and interval
 * estimation of the common odds ratio in the combination of 2 x 2 tables with fixed marginals", Biometrika 57 (1970).
 */
export function createCountTest(margins: StratifiedMargins): CountTest {
  const moments = computeMoments(margins);
  if (moments.variance > MAX_EXACT_VARIANCE) return createNormalTest(moments);
  const { totalA, totalB, withOutcome, discordant } = margins;
  const { fewest, values } = computeProbabilities({ testersA: withOutcome, totalA, testersB: 0, totalB });
  return createExactTest(fewest, discordant === 0 ? values : addPairs(values, discordant));
}

/** The distribution of the sum with the discordant pairs, each of which is as likely in one direction as in the other. */
function addPairs(values: readonly number[], discordant: number): Float64Array {
  const pairs = binomialProbabilities(discordant, 0.5);
  const added = new Float64Array(values.length + discordant);
  for (let at = 0; at < values.length; at += 1)
    for (let inB = 0; inB <= discordant; inB += 1)
      added[at + inB] = (added[at + inB] ?? 0) + (values[at] ?? 0) * (pairs[inB] ?? 0);
  return added;
}

function createExactTest(fewest: number, probabilities: ArrayLike<number>): CountTest {
  const more = new Float64Array(probabilities.length);
  const fewer = new Float64Array(probabilities.length);
  let [above, below] = [0, 0];
  for (let at = 0; at < probabilities.length; at += 1) {
    below += probabilities[at] ?? 0;
    fewer[at] = Math.min(1, below);
    const end = probabilities.length - 1 - at;
    above += probabilities[end] ?? 0;
    more[end] = Math.min(1, above);
  }
  return (count, smallest) => {
    smallest.more = Math.min(smallest.more, more[count - fewest] ?? 1);
    smallest.fewer = Math.min(smallest.fewer, fewer[count - fewest] ?? 1);
  };
}

interface Moments {
  readonly mean: number;
  readonly variance: number;
  readonly skewness: number;
}

/** N. L. Johnson, A. W. Kemp and S. Kotz, "Univariate Discrete Distributions" (2005), section 6.3. */
function computeMoments({ totalA, totalB, withOutcome, discordant }: StratifiedMargins): Moments {
  const total = totalA + totalB;
  const others = total - withOutcome;
  const mean = (total === 0 ? 0 : (withOutcome * totalB) / total) + discordant / 2;
  const single = total < 2 ? 0 : (withOutcome * totalA * totalB * others) / (total ** 2 * (total - 1));
  const third = total < 3 ? 0 : (single * (totalA - totalB) * (others - withOutcome)) / (total * (total - 2));
  const variance = single + discordant / 4;
  return { mean, variance, skewness: variance > 0 ? third / variance ** 1.5 : 0 };
}

/**
 * The normal approximation with corrections for continuity and skewness: E. A. Cornish and R. A. Fisher, "Moments and
 * Cumulants in the Specification of Distributions", Revue de l'Institut International de Statistique 5 (1938).
 */
function createNormalTest({ mean, variance, skewness }: Moments): CountTest {
  const deviation = Math.sqrt(variance);
  const correct = (z: number, skew: number) => z - (skew * (z * z - 1)) / 6;
  return (count, smallest) => {
    const [above, below] = [(count - 0.5 - mean) / deviation, (mean - count - 0.5) / deviation];
    lowerToNormal(smallest, correct(above, skewness), correct(below, -skewness));
  };
}
