/** The chi-square distribution, central and noncentral. */
import { upperGamma } from "./gamma.ts";

const BISECTIONS = 60;
/** Above this, the Poisson weights underflow, and the distribution is far from all critical values. */
const MAX_NONCENTRALITY = 1000;
const PRECISION = 1e-15;
const MAX_TERMS = 10_000;

/**
 * The probability that a chi-square variable with the given degrees of freedom exceeds `x`: Q(degrees / 2, x / 2). 1 up to
 * 0. M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions" (1964), 26.4.19.
 */
export function chiSquareTail(x: number, degrees: number): number {
  return upperGamma(degrees / 2, x / 2);
}

/** The value that a chi-square variable exceeds with the given probability, above 0 and below 1: `chiSquareTail` inverted by bisection. */
export function chiSquareCritical(probability: number, degrees: number): number {
  let [low, high] = [0, 1];
  while (chiSquareTail(high, degrees) > probability) high *= 2;
  for (let step = 0; step < BISECTIONS; step += 1) {
    const middle = (low + high) / 2;
    if (chiSquareTail(middle, degrees) > probability) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * The probability that a noncentral chi-square variable exceeds `x`: the mixture of central ones with Poisson weights
 * (Johnson, Kotz and Balakrishnan, "Continuous univariate distributions", volume 2, 1995, equation 29.2).
 */
export function noncentralChiSquareTail(x: number, degrees: number, noncentrality: number): number {
  if (noncentrality > MAX_NONCENTRALITY) return x < noncentrality / 2 ? 1 : 0;
  let weight = Math.exp(-noncentrality / 2);
  let remaining = 1;
  let tail = 0;
  for (let n = 0; n < MAX_TERMS && remaining > PRECISION; n += 1) {
    tail += weight * chiSquareTail(x, degrees + 2 * n);
    remaining -= weight;
    weight *= noncentrality / 2 / (n + 1);
  }
  return Math.min(1, tail);
}
