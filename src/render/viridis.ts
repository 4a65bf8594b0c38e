/** The viridis palette: a colour of 0 to 1 that grows in lightness evenly to the eye, for every kind of terminal. */

export type Rgb = readonly [red: number, green: number, blue: number];

/** Viridis at every sixteenth, as published by its authors (CC0). */
const STOPS: readonly Rgb[] = [
  [68, 1, 84],
  [72, 24, 106],
  [71, 45, 123],
  [66, 64, 134],
  [59, 82, 139],
  [51, 99, 141],
  [44, 114, 142],
  [38, 130, 142],
  [33, 145, 140],
  [31, 160, 136],
  [40, 174, 128],
  [63, 188, 115],
  [94, 201, 98],
  [132, 212, 75],
  [173, 220, 48],
  [216, 226, 25],
  [253, 231, 37],
];

/** The six levels of each channel in the 256-colour cube. */
const LEVELS = [0, 95, 135, 175, 215, 255] as const;

/** Of the 16 colours, those that follow viridis: blue, cyan, green, bright green, bright yellow. */
const SIXTEEN = [34, 36, 32, 92, 93] as const;

/** The colour of an intensity from 0 to 1; beyond, that of the nearer end. */
export function viridis(intensity: number): Rgb {
  const place = Math.min(1, Math.max(0, intensity)) * (STOPS.length - 1);
  const below = Math.floor(place);
  const low = STOPS[below] ?? [0, 0, 0];
  const high = STOPS[below + 1] ?? low;
  const between = (channel: 0 | 1 | 2) =>
    Math.round(low[channel] + (high[channel] - low[channel]) * (place - below));
  return [between(0), between(1), between(2)];
}

/** The nearest colour of the 256-colour cube: 16 to 231. */
export function viridis256(intensity: number): number {
  const [red, green, blue] = viridis(intensity).map(nearestLevel);
  return 16 + 36 * (red ?? 0) + 6 * (green ?? 0) + (blue ?? 0);
}

function nearestLevel(value: number): number {
  let nearest = 0;
  for (const [at, level] of LEVELS.entries()) {
    if (Math.abs(level - value) < Math.abs((LEVELS[nearest] ?? 0) - value)) nearest = at;
  }
  return nearest;
}

/** The nearest of the 16 colours, as the number that sets the foreground: 30 to 37 or 90 to 97. */
export function viridis16(intensity: number): number {
  const at = Math.min(SIXTEEN.length - 1, Math.max(0, Math.floor(intensity * SIXTEEN.length)));
  return SIXTEEN[at] ?? 34;
}
