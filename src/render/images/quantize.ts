/** Reduces an image to the number of color registers of a terminal. */

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha of each pixel, row by row. */
  readonly rgba: Uint8Array;
}

export interface IndexedImage {
  readonly colors: ReadonlyArray<readonly [number, number, number]>;
  /** The index of each pixel's color; -1 if the pixel is transparent. */
  readonly at: Int16Array;
}

/** Color registers of xterm and other current terminals. */
const MAX_COLORS = 256;
/** Pixels below half opacity are treated as transparent, because sixel has no partial transparency. */
const MIN_OPACITY = 128;

/**
 * Reduces the image to its 256 most frequent colors. Every other color is replaced by the closest of them. This works well
 * for heatmaps, which consist of areas of one color; rare colors occur only at the edges of letters.
 */
export function quantize({ width, height, rgba }: Pixels): IndexedImage {
  const pixels = width * height;
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels; at++) {
    const key = toColorKey(rgba, at);
    if (key >= 0) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const byCount = [...counts].sort(([keyA, a], [keyB, b]) => b - a || keyA - keyB).map(([key]) => key);
  const frequent = byCount.slice(0, MAX_COLORS);
  const colors = frequent.map(toRgb);
  const index = new Map(frequent.map((key, at) => [key, at]));
  for (const key of byCount.slice(MAX_COLORS)) index.set(key, findNearest(toRgb(key), colors));
  const at = new Int16Array(pixels);
  for (let pixel = 0; pixel < pixels; pixel++) at[pixel] = index.get(toColorKey(rgba, pixel)) ?? -1;
  return { colors, at };
}

type PixelRgb = readonly [number, number, number];

/** Red, green and blue as one number; -1 where transparent. */
function toColorKey(rgba: Uint8Array, pixel: number): number {
  const at = pixel * 4;
  if ((rgba[at + 3] ?? 0) < MIN_OPACITY) return -1;
  return ((rgba[at] ?? 0) << 16) | ((rgba[at + 1] ?? 0) << 8) | (rgba[at + 2] ?? 0);
}

const toRgb = (key: number): PixelRgb => [key >> 16, (key >> 8) & 255, key & 255];

function findNearest(rgb: PixelRgb, colors: readonly PixelRgb[]): number {
  let best = 0;
  let minDistance = Number.POSITIVE_INFINITY;
  for (const [at, [red, green, blue]] of colors.entries()) {
    const distance = (rgb[0] - red) ** 2 + (rgb[1] - green) ** 2 + (rgb[2] - blue) ** 2;
    if (distance < minDistance) [best, minDistance] = [at, distance];
  }
  return best;
}
