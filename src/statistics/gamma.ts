/** The gamma function and its incomplete form, from which the tails of distributions follow. */

const PRECISION = 1e-15;
const MAX_TERMS = 10_000;

/**
 * The regularized upper incomplete gamma function Q(a, x) for a > 0. Below x = a + 1 it uses the series of P (DLMF
 * 8.7.1, 8.8.1), and above it the continued fraction (DLMF 8.9.2) with Lentz's method as modified by Thompson and
 * Barnett. See Press et al., Numerical Recipes, 3rd edition, section 6.2.
 */
export function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  const scale = Math.exp(a * Math.log(x) - x - logGamma(a));
  return x < a + 1 ? 1 - scale * lowerSeries(a, x) : scale * upperFraction(a, x);
}

function lowerSeries(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; n < MAX_TERMS && Math.abs(term) > Math.abs(sum) * PRECISION; n += 1) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

function upperFraction(a: number, x: number): number {
  const tiny = Number.MIN_VALUE / PRECISION;
  let b = x + 1 - a;
  let c = 1 / tiny;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < MAX_TERMS; n += 1) {
    const numerator = -n * (n - a);
    b += 2;
    d = numerator * d + b;
    if (Math.abs(d) < tiny) d = tiny;
    d = 1 / d;
    c = b + numerator / c;
    if (Math.abs(c) < tiny) c = tiny;
    fraction *= d * c;
    if (Math.abs(d * c - 1) < PRECISION) break;
  }
  return fraction;
}

/** Coefficients for g = 7, nine terms, as published by Paul Godfrey (2001). */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const;

/** The logarithm of the gamma function for x >= 1/2, by the approximation of Lanczos (1964). */
export function logGamma(x: number): number {
  const at = x - 1;
  const sum = LANCZOS.slice(1).reduce<number>(
    (s, coefficient, n) => s + coefficient / (at + n + 1),
    LANCZOS[0],
  );
  const t = at + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (at + 0.5) * Math.log(t) - t + Math.log(sum);
}
