/**
 * fast-check with a fixed seed, so that a run can be repeated. Set PLAYTEST_SEED to another integer, or to `random` for a
 * new seed each run. The message of a failed property shows the seed. PLAYTEST_RUNS=5 tries five times as many cases of the
 * properties that start services.
 */
import fc from "fast-check";

const DEFAULT_SEED = 20261121;
const setting = process.env.PLAYTEST_SEED;
export const seed = setting === "random" ? Date.now() % 2 ** 31 : Number(setting ?? DEFAULT_SEED);
if (!Number.isInteger(seed)) throw new RangeError(`PLAYTEST_SEED must be an integer or "random": ${setting}`);

fc.configureGlobal({ seed });

const factor = Number(process.env.PLAYTEST_RUNS ?? 1);
if (!(factor > 0)) throw new RangeError(`PLAYTEST_RUNS must be a number above 0: ${factor}`);

/** How many cases of a property that takes long to try. */
export const times = (runs: number): number => Math.ceil(runs * factor);

export default fc;
