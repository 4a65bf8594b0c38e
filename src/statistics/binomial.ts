/** The binomial distribution. */
import { sum } from "./averages.ts";

/**
 * The probability of at least `least` successes in `trials` independent trials with the given probability of success.
 * Sums from the most likely count outward, so that it stays exact to about 12 digits for thousands of trials. `trials` and
 * `least` are integers, and `probability` is from 0 to 1. W. Feller, "An Introduction to Probability Theory and Its
 * Applications", volume 1 (1968), chapter VI.
 */
export function binomialTail(trials: number, probability: number, least: number): number {
  if (least <= 0) return 1;
  if (least > trials || probability <= 0) return 0;
  if (probability >= 1) return 1;
  const odds = probability / (1 - probability);
  const weights = new Array<number>(trials + 1).fill(1);
  const mode = Math.min(trials, Math.floor((trials + 1) * probability));
  for (let at = mode + 1; at <= trials; at += 1)
    weights[at] = ((weights[at - 1] ?? 0) * odds * (trials - at + 1)) / at;
  for (let at = mode - 1; at >= 0; at -= 1)
    weights[at] = ((weights[at + 1] ?? 0) * (at + 1)) / (odds * (trials - at));
  return Math.min(1, sum(weights.slice(least)) / sum(weights));
}
