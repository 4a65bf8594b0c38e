/** The range of values without outliers, such as positions of a player who fell out of the world. */

/** The share of values that may lie beyond each end, and how many values there must be to leave out one. */
const TAIL = 0.005;
const MIN_VALUES = 20;
/** The space around the others, as a share of their extent. */
const MARGIN = 0.05;
/** Outliers squeeze a picture if all values extend over more than this many times the space of the others. */
const SQUEEZE = 2;

export type Range = readonly [min: number, max: number];

/** The range of most values, or null if all of them fit into a picture. */
export function cropRange(values: readonly number[], [min, max]: Range): Range | null {
  const sorted = Float64Array.from(values).sort();
  if (sorted.length < MIN_VALUES) return null;
  const beyond = Math.max(1, Math.floor(sorted.length * TAIL));
  const [low, high] = [sorted[beyond] ?? min, sorted[sorted.length - 1 - beyond] ?? max];
  const margin = MARGIN * (high - low);
  const range: Range = [Math.max(min, low - margin), Math.min(max, high + margin)];
  const isSqueezed = max / 2 - min / 2 > SQUEEZE * (range[1] / 2 - range[0] / 2);
  return high > low && isSqueezed ? range : null;
}
