/** Reduces an image to the colours that a terminal has registers for. */

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and opacity of each pixel, row by row. */
  readonly rgba: Uint8Array;
}

export interface IndexedImage {
  readonly colours: ReadonlyArray<readonly [number, number, number]>;
  /** The colour of each pixel; -1 where it is transparent. */
  readonly at: Int16Array;
}

/** Registers that terminals have at least (the VT340 had 16, xterm and its like 256). */
const MAX_COLORS = 256;
/** Less opaque than half is taken for transparent: sixels know no more. */
const MIN_OPACITY = 128;

/**
 * The image in 256 colours: those that most pixels have stay as they are, others become the nearest of them. A heatmap
 * is mostly areas of one colour; only the edges of its letters are of rarer ones.
 */
export function quantize({ width, height, rgba }: Pixels): IndexedImage {
  const pixels = width * height;
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels; at++) {
    const key = toColorKey(rgba, at);
    if (key >= 0) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const byCount = [...counts].sort(([keyA, a], [keyB, b]) => b - a || keyA - keyB).map(([key]) => key);
  const kept = byCount.slice(0, MAX_COLORS);
  const colours = kept.map(toRgb);
  const index = new Map(kept.map((key, at) => [key, at]));
  for (const key of byCount.slice(MAX_COLORS)) index.set(key, findNearest(toRgb(key), colours));
  const at = new Int16Array(pixels);
  for (let pixel = 0; pixel < pixels; pixel++) at[pixel] = index.get(toColorKey(rgba, pixel)) ?? -1;
  return { colours, at };
}

type PixelRgb = readonly [number, number, number];

/** Red, green and blue as one number; -1 where transparent. */
function toColorKey(rgba: Uint8Array, pixel: number): number {
  const at = pixel * 4;
  if ((rgba[at + 3] ?? 0) < MIN_OPACITY) return -1;
  return ((rgba[at] ?? 0) << 16) | ((rgba[at + 1] ?? 0) << 8) | (rgba[at + 2] ?? 0);
}

const toRgb = (key: number): PixelRgb => [key >> 16, (key >> 8) & 255, key & 255];

function findNearest(rgb: PixelRgb, colours: readonly PixelRgb[]): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [at, [red, green, blue]] of colours.entries()) {
    const distance = (rgb[0] - red) ** 2 + (rgb[1] - green) ** 2 + (rgb[2] - blue) ** 2;
    if (distance < least) [best, least] = [at, distance];
  }
  return best;
}
