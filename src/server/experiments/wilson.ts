/** The Wilson score interval of a proportion. */
import type { Interval } from "../../contract/experiments.ts";

/** The normal quantile of a two-sided 95% interval. */
export const Z95 = 1.959963984540054;

/**
 * The 95% Wilson score interval of a proportion of independent observations: Wilson, "Probable inference, the law of
 * succession, and statistical inference", 1927. For a total of 0 it is 0 to 1.
 */
export function wilsonInterval(successes: number, total: number): Interval {
  if (total === 0) return { low: 0, high: 1 };
  const rate = successes / total;
  const weight = Z95 ** 2 / total;
  const center = (rate + weight / 2) / (1 + weight);
  const margin = Math.sqrt(rate * (1 - rate) * weight + weight ** 2 / 4) / (1 + weight);
  // Rounding errors would otherwise give values slightly off 0 and 1.
  return {
    low: successes === 0 ? 0 : Math.max(0, center - margin),
    high: successes === total ? 1 : Math.min(1, center + margin),
  };
}
