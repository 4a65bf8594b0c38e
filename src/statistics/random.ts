/** Seeded pseudo-random numbers for simulations and resampling: the same seed always gives the same sequence. */

/** Results to skip after seeding, until all bits of the state depend on the seed. */
const WARM_UP = 16;

/**
 * Creates a generator of numbers in [0, 1), in steps of 2^-32. The generator is sfc32 of Chris Doty-Humphrey's PractRand,
 * in the version of https://github.com/bryc/code/blob/master/jshash/PRNGs.md.
 */
export function createRandom(seed: number): () => number {
  let [a, b, c, counter] = [seed | 0, 0x9e3779b9 | 0, 0x243f6a88 | 0, 1];
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let skipped = 0; skipped < WARM_UP; skipped += 1) next();
  return next;
}
