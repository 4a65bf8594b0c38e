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

/** Of the 256 colours, those that follow viridis and grow in lightness. */
const OF_256: readonly [number, ...number[]] = [53, 54, 24, 30, 36, 71, 77, 113, 148, 184, 226];

type Named = "blue" | "cyan" | "green" | "greenBright" | "yellowBright";
type Pair = readonly [front: Named, back: `bg${Capitalize<Named>}`];

/** Of the 16 colours, the same, as foreground and background. */
const OF_16: readonly [Pair, ...Pair[]] = [
  ["blue", "bgBlue"],
  ["cyan", "bgCyan"],
  ["green", "bgGreen"],
  ["greenBright", "bgGreenBright"],
  ["yellowBright", "bgYellowBright"],
];

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

/** The colour's number, 16 to 231, in a terminal that has 256. */
export function viridis256(intensity: number): number {
  return pick(OF_256, intensity);
}

/** The colour's names as foreground and background, in a terminal that has 16. */
export function viridis16(intensity: number): Pair {
  return pick(OF_16, intensity);
}

function pick<T>(palette: readonly [T, ...T[]], intensity: number): T {
  const at = Math.min(palette.length - 1, Math.max(0, Math.floor(intensity * palette.length)));
  return palette[at] ?? palette[0];
}
