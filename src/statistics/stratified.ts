/**
 * The exact test of two groups in which some testers are the same: each tester in both groups is a stratum of their own, and
 * all others are one more. Within a stratum, it compares only testers who are alike.
 */
import { computeProbabilities } from "./fisher.ts";
import { normalTail } from "./normal.ts";

/** What the test takes as given. */
export interface StratifiedMargins {
  /** Testers in one group only: those of a, those of b, and those of both groups with the outcome. */
  readonly totalA: number;
  readonly totalB: number;
  readonly withOutcome: number;
  /** Testers in both groups who had the outcome in one of them only. */
  readonly discordant: number;
}

/** The one-sided p-values of each number of testers of b with the outcome, from `fewest` upward. */
export interface StratifiedTails {
  readonly fewest: number;
  /** The probability of at least this many if the groups do not differ. */
  readonly more: Float64Array;
  /** The probability of at most this many. */
  readonly fewer: Float64Array;
}

/** Up to this many products, the exact distributions of both kinds of strata are combined. Above, their sum is close to normal. */
const MAX_PRODUCTS = 200_000;

/**
 * The p-values of the number of testers of b with the outcome: testers in one group only, and testers in both groups who had
 * it in b alone. Given the margins, the first is hypergeometric and the second binomial. J. J. Gart, "Point and interval
 * estimation of the common odds ratio in the combination of 2 x 2 tables with fixed marginals", Biometrika 57 (1970). The
 * normal approximation of large counts has a continuity correction.
 */
export function computeStratifiedTails(margins: StratifiedMargins): StratifiedTails {
  const { totalA, totalB, withOutcome, discordant } = margins;
  const fewest = Math.max(0, withOutcome - totalA);
  const most = Math.min(withOutcome, totalB);
  const support = most - fewest + 1;
  if (support * (discordant + 1) > MAX_PRODUCTS) return approximateTails(margins, fewest, most);
  const { values } = computeProbabilities({ testersA: withOutcome, totalA, testersB: 0, totalB });
  return sumTails(fewest, discordant === 0 ? Float64Array.from(values) : addPairs(values, discordant));
}

/** The distribution of the sum with the discordant pairs, each of which is as likely in one direction as in the other. */
function addPairs(values: readonly number[], discordant: number): Float64Array {
  let probabilities = Float64Array.from(values);
  for (let pair = 0; pair < discordant; pair += 1) {
    const next = new Float64Array(probabilities.length + 1);
    for (const [at, probability] of probabilities.entries()) {
      next[at] = (next[at] ?? 0) + probability / 2;
      next[at + 1] = probability / 2;
    }
    probabilities = next;
  }
  return probabilities;
}

function sumTails(fewest: number, probabilities: Float64Array): StratifiedTails {
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
  return { fewest, more, fewer };
}

function approximateTails(
  { totalA, totalB, withOutcome, discordant }: StratifiedMargins,
  fewest: number,
  most: number,
): StratifiedTails {
  const total = totalA + totalB;
  const center = (withOutcome * totalB) / total + discordant / 2;
  const spread =
    (withOutcome * totalA * totalB * (total - withOutcome)) / (total ** 2 * Math.max(1, total - 1));
  const deviation = Math.sqrt(spread + discordant / 4);
  const more = new Float64Array(most - fewest + 1 + discordant);
  const fewer = new Float64Array(more.length);
  for (let at = 0; at < more.length; at += 1) {
    more[at] = normalTail((fewest + at - 0.5 - center) / deviation);
    fewer[at] = normalTail((center - fewest - at - 0.5) / deviation);
  }
  return { fewest, more, fewer };
}
