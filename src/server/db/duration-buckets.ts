/**
 * Buckets of durations, in levels: a bucket of one level consists of buckets of the next, and the last level has one bucket for
 * each duration. The session in the middle is found with a few buckets of each level, however many sessions there are.
 */

/** The number of significant bits by which the durations of a bucket agree, by level. */
const SIGNIFICANT_BITS = [4, 9, 14, 53] as const;

export const DURATION_LEVELS: readonly number[] = SIGNIFICANT_BITS.map((_, level) => level);

/** The durations from `first` to before `end`, ms. */
export interface DurationBucket {
  readonly first: number;
  readonly end: number;
}

/** The bucket of a level that a duration belongs to. */
export function findBucket(ms: number, level: number): DurationBucket {
  const duration = Math.max(0, Math.floor(ms));
  const bits = duration < 1 ? 1 : Math.floor(Math.log2(duration)) + 1;
  const width = 2 ** Math.max(0, bits - (SIGNIFICANT_BITS[level] ?? 0));
  const first = Math.floor(duration / width) * width;
  return { first, end: first + width };
}
