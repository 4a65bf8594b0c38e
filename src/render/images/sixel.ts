/** Encodes images as sixels: characters of six pixels each, from DEC's VT340 and supported by several terminals. */
import { type IndexedImage, type Pixels, quantize } from "./quantize.ts";

/** Pixels per character, one below the other. */
const BAND = 6;

/**
 * Encodes the image as one sequence (vt100.net/docs/vt3xx-gp/chapter14.html): its size, its colors as percentages, and
 * then, for each band of six rows, the pixels of each color in run-length encoding. Transparent pixels are not drawn.
 */
export function sixelImage(pixels: Pixels): string {
  const image = quantize(pixels);
  const { width, height } = pixels;
  const colors = image.colors.map((rgb, at) => `#${at};2;${rgb.map(toPercent).join(";")}`);
  const bands: string[] = [];
  for (let top = 0; top < height; top += BAND) bands.push(encodeBand(image, width, height, top));
  return `\x1bP0;1q"1;1;${width};${height}${colors.join("")}${bands.join("-")}\x1b\\`;
}

const toPercent = (channel: number) => Math.round((channel * 100) / 255);

/** Encodes six rows: one line of characters per color. `$` returns to the start of the line. */
function encodeBand({ at }: IndexedImage, width: number, height: number, top: number): string {
  const bits = new Map<number, Uint8Array>();
  for (let row = 0; row < Math.min(BAND, height - top); row++) {
    for (let x = 0; x < width; x++) {
      const color = at[(top + row) * width + x] ?? -1;
      if (color < 0) continue;
      const line = bits.get(color) ?? new Uint8Array(width);
      bits.set(color, line);
      line[x] = (line[x] ?? 0) | (1 << row);
    }
  }
  const lines = [...bits].sort(([a], [b]) => a - b).map(([color, line]) => `#${color}${encodeRuns(line)}`);
  return lines.join("$");
}

/** Encodes one line, from `?` for no pixels. Runs of four or more are `!count`; empty characters at the end are omitted. */
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
