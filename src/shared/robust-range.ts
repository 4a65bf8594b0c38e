/** The range of values without outliers, such as positions of a player who fell out of the world. */

/** The share of positions that may lie beyond each end of an axis. */
const TAIL = 0.005;
/** The space around the others, as a share of their extent. */
const MARGIN = 0.05;
/** Outliers squeeze a picture if all positions extend over this many times the space of the others. */
const SQUEEZE = 1.5;
export type Range = readonly [min: number, max: number];

/** The range of most values, or null if all of them fit into a picture. */
export function cropRange(values: readonly number[], [min, max]: Range): Range | null {
  const sorted = Float64Array.from(values).sort();
  const last = sorted.length - 1;
  const [low, high] = [sorted[Math.ceil(last * TAIL)] ?? min, sorted[Math.floor(last * (1 - TAIL))] ?? max];
  const margin = MARGIN * (high - low);
  const range: Range = [Math.max(min, low - margin), Math.min(max, high + margin)];
  const isSqueezed = max / 2 - min / 2 > SQUEEZE * (range[1] / 2 - range[0] / 2);
  return high > low && isSqueezed ? range : null;
}
