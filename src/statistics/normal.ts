/** The normal distribution. */
import { upperGamma } from "./gamma.ts";

/** Coefficients of the rational approximation, from the constant term upward, for |p - 0.5| up to 0.425. */
const CENTER = {
  numerator: [
    3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987,
    67265.7709270087, 33430.57558358813, 2509.0809287301227,
  ],
  denominator: [
    1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
    28729.085735721943, 5226.495278852854,
  ],
};
/** For tails down to exp(-25). */
const TAIL = {
  numerator: [
    1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
    0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
  ],
  denominator: [
    1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
    0.0005475938084995345, 1.0507500716444169e-9,
  ],
};
/** For tails beyond exp(-25). */
const FAR_TAIL = {
  numerator: [
    6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
    0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7,
  ],
  denominator: [
    1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133,
    1.8463183175100548e-5, 1.421511758316446e-7, 2.0442631033899397e-15,
  ],
};

/**
 * The quantile of the standard normal distribution for a probability between 0 and 1, to about 16 digits. Throws a
 * RangeError for any other probability. M. J. Wichura, "Algorithm AS 241: The Percentage Points of the Normal
 * Distribution", Applied Statistics 37 (1988).
 */
export function normalQuantile(probability: number): number {
  if (!(probability > 0 && probability < 1)) throw new RangeError(`No quantile for ${probability}`);
  const distance = probability - 0.5;
  if (Math.abs(distance) <= 0.425) return distance * evaluate(CENTER, 0.180625 - distance * distance);
  const root = Math.sqrt(-Math.log(Math.min(probability, 1 - probability)));
  const size = root <= 5 ? evaluate(TAIL, root - 1.6) : evaluate(FAR_TAIL, root - 5);
  return Math.sign(distance) * size;
}

function evaluate({ numerator, denominator }: typeof CENTER, at: number): number {
  const polynomial = (coefficients: readonly number[]) =>
    coefficients.reduceRight((sum, coefficient) => sum * at + coefficient, 0);
  return polynomial(numerator) / polynomial(denominator);
}

/**
 * The probability that a standard normal variable exceeds `z`, to about 14 digits: half the tail of the chi-square
 * distribution above `z` squared. M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions" (1964), 26.4.21.
 */
export function normalTail(z: number): number {
  const tail = upperGamma(0.5, z ** 2 / 2) / 2;
  return z < 0 ? 1 - tail : tail;
}
