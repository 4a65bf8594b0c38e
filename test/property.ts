/**
 * fast-check with a fixed seed, so that a run can be repeated. Set PLAYTEST_SEED to another integer, or to `random` for a
 * new seed each run. The message of a failed property shows the seed.
 */
import fc from "fast-check";

const DEFAULT_SEED = 20261121;
const setting = process.env.PLAYTEST_SEED;
export const seed = setting === "random" ? Date.now() % 2 ** 31 : Number(setting ?? DEFAULT_SEED);
if (!Number.isInteger(seed)) throw new RangeError(`PLAYTEST_SEED must be an integer or "random": ${setting}`);

fc.configureGlobal({ seed });

export default fc;
