/** Sixel: an image as characters of six pixels, for DEC's VT340 and the terminals that understand it. */
import { type IndexedImage, type Pixels, quantize } from "./quantize.ts";

/** Pixels of a column that one character holds. */
const BAND = 6;

/**
 * The image as one sequence (vt100.net/docs/vt3xx-gp/chapter14.html): its size, its colours as percentages, then band
 * by band each colour that is in it, with runs of the same character counted. Transparent pixels are not drawn.
 */
export function sixelImage(pixels: Pixels): string {
  const image = quantize(pixels);
  const { width, height } = pixels;
  const colours = image.colours.map((rgb, at) => `#${at};2;${rgb.map(toPercent).join(";")}`);
  const bands: string[] = [];
  for (let top = 0; top < height; top += BAND) bands.push(encodeBand(image, width, height, top));
  return `\x1bP0;1q"1;1;${width};${height}${colours.join("")}${bands.join("-")}\x1b\\`;
}

const toPercent = (channel: number) => Math.round((channel * 100) / 255);

/** Six rows: for each colour in them a line of characters, `$` going back to its start. */
function encodeBand({ at }: IndexedImage, width: number, height: number, top: number): string {
  const bits = new Map<number, Uint8Array>();
  for (let row = 0; row < Math.min(BAND, height - top); row++) {
    for (let x = 0; x < width; x++) {
      const colour = at[(top + row) * width + x] ?? -1;
      if (colour < 0) continue;
      const line = bits.get(colour) ?? new Uint8Array(width);
      bits.set(colour, line);
      line[x] = (line[x] ?? 0) | (1 << row);
    }
  }
  const lines = [...bits].sort(([a], [b]) => a - b).map(([colour, line]) => `#${colour}${encodeRuns(line)}`);
  return lines.join("$");
}

/** The characters of a line, from `?` for none of the six; runs of four and more as `!count`; none at its end. */
function encodeRuns(line: Uint8Array): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === 0) end--;
  let text = "";
  for (let from = 0; from < end; ) {
    let to = from + 1;
    while (to < end && line[to] === line[from]) to++;
    const character = String.fromCharCode(63 + (line[from] ?? 0));
    text += to - from > 3 ? `!${to - from}${character}` : character.repeat(to - from);
    from = to;
  }
  return text;
}
