/** Student's t distribution. */
import { normalQuantile } from "./normal.ts";

/**
 * The value that Student's t exceeds with probability `tail`, 0 to 0.5: to about 3 digits from 4 degrees of freedom on, and
 * too small below that (11.3 instead of 12.7 for the tail 0.025 and 1 degree). M. Abramowitz and I. A. Stegun, "Handbook
 * of Mathematical Functions" (1964), 26.7.5.
 */
export function studentQuantile(tail: number, degrees: number): number {
  const z = -normalQuantile(tail);
  const terms = [
    z,
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92_160,
  ];
  return terms.reduceRight((total, term) => total / degrees + term, 0);
}
