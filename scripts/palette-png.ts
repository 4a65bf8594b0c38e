/** Makes PNGs smaller: at most 256 colors, which is enough for pages without photos. */
import { crc32, deflateSync } from "node:zlib";
import { PNG } from "pngjs";

const MAX_COLORS = 256;
/** Bits of each channel that are kept where a picture has too many colors. */
const KEPT_BITS = 5;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The picture with an opaque palette of its most frequent colors. Other colors become the nearest one. */
export function toPalettePng(png: Buffer): Buffer {
  const { width, height, data } = PNG.sync.read(png);
  const colors = Array.from({ length: width * height }, (_, at) => data.readUIntBE(at * 4, 3));
  const palette = choosePalette(colors);
  const indexes = new Map(palette.map((color, index) => [color, index]));
  const rows = Buffer.alloc((width + 1) * height);
  for (const [at, color] of colors.entries()) {
    let index = indexes.get(color);
    if (index === undefined) {
      index = findNearest(palette, color);
      indexes.set(color, index);
    }
    // Each row begins with the number of its filter, which is 0.
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = index;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits for each pixel, an index into the palette.
  header.set([8, 3, 0, 0, 0], 8);
  const table = Buffer.from(palette.flatMap(splitChannels));
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", table),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** The most frequent colors, of similar ones only the most frequent. */
function choosePalette(colors: readonly number[]): number[] {
  const counts = new Map<number, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  const ranked = [...counts].sort(([, a], [, b]) => b - a).map(([color]) => color);
  if (ranked.length <= MAX_COLORS) return ranked;
  const kept = new Map<string, number>();
  for (const color of ranked) {
    const group = splitChannels(color)
      .map((value) => value >> (8 - KEPT_BITS))
      .join();
    if (!kept.has(group)) kept.set(group, color);
  }
  return [...kept.values()].slice(0, MAX_COLORS);
}

const splitChannels = (color: number): [number, number, number] => [
  color >> 16,
  (color >> 8) & 255,
  color & 255,
];

function findNearest(palette: readonly number[], color: number): number {
  const own = splitChannels(color);
  const distances = palette.map((other) =>
    splitChannels(other).reduce((sum, value, at) => sum + (value - (own[at] ?? 0)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
