/**
 * fast-check with a seed, so that a run can be repeated: PLAYTEST_SEED takes another number, and `random` a new one each
 * run. Where a property fails, its message names the seed.
 */
import fc from "fast-check";

const FIXED = 20261121;
const given = process.env.PLAYTEST_SEED;
export const seed = given === "random" ? Date.now() % 2 ** 31 : Number(given ?? FIXED);
if (!Number.isInteger(seed))
  throw new RangeError(`PLAYTEST_SEED ${given} is neither a whole number nor random`);

fc.configureGlobal({ seed });

export default fc;
