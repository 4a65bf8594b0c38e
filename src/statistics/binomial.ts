/** The binomial distribution. */
import { sum } from "./averages.ts";

/**
 * The probability of at least `least` successes in `trials` independent trials with the given probability of success.
 * `trials` and `least` are integers, and `probability` is from 0 to 1.
 */
export function binomialTail(trials: number, probability: number, least: number): number {
  if (least <= 0) return 1;
  if (least > trials || probability <= 0) return 0;
  if (probability >= 1) return 1;
  const weights = weighSuccesses(trials, probability);
  return Math.min(1, sum(weights.slice(least)) / sum(weights));
}

/** The probability of each number of successes, from 0 to `trials`, in trials with a probability above 0 and below 1. */
export function binomialProbabilities(trials: number, probability: number): number[] {
  const weights = weighSuccesses(trials, probability);
  const total = sum(weights);
  return weights.map((weight) => weight / total);
}

/**
 * A number for each number of successes that is proportional to its probability. Computed from the most likely number
 * outward, so that it stays exact to about 12 digits for thousands of trials. W. Feller, "An Introduction to Probability
 * Theory and Its Applications", volume 1 (1968), chapter VI.
 */
function weighSuccesses(trials: number, probability: number): number[] {
  const odds = probability / (1 - probability);
  const weights = new Array<number>(trials + 1).fill(1);
  const mode = Math.min(trials, Math.floor((trials + 1) * probability));
  for (let at = mode + 1; at <= trials; at += 1)
    weights[at] = ((weights[at - 1] ?? 0) * odds * (trials - at + 1)) / at;
  for (let at = mode - 1; at >= 0; at -= 1)
    weights[at] = ((weights[at + 1] ?? 0) * (at + 1)) / (odds * (trials - at));
  return weights;
}
