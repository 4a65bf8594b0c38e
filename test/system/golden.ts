/** Compares pictures with those that were looked at: test/golden/, renewed by PLAYTEST_RENEW_GOLDEN=1. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";

const FOLDER = join(import.meta.dirname, "..", "golden");
/** How much a pixel's colour may be off before it counts (pixelmatch's scale, 0 to 1). */
const COLOUR = 0.1;

/** The part of pixels that differ, 0 to 1; 1 where the sizes do. */
export function difference(one: Uint8Array, other: Uint8Array): { share: number; picture: Buffer | null } {
  const [a, b] = [PNG.sync.read(Buffer.from(one)), PNG.sync.read(Buffer.from(other))];
  if (a.width !== b.width || a.height !== b.height) return { share: 1, picture: null };
  const { width, height } = a;
  const drawn = new PNG({ width, height });
  const count = pixelmatch(a.data, b.data, drawn.data, width, height, { threshold: COLOUR });
  return { share: count / (width * height), picture: PNG.sync.write(drawn) };
}

/** The part of pixels in which a picture differs from the golden one; what differs is left beside, to be looked at. */
export function offGolden(name: string, png: Uint8Array): number {
  const path = join(FOLDER, `${name}.png`);
  if (process.env.PLAYTEST_RENEW_GOLDEN) {
    mkdirSync(dirname(path), { recursive: true });
    // Without its alpha and packed harder it is smaller.
    const image = PNG.sync.read(Buffer.from(png));
    writeFileSync(
      path,
      PNG.sync.write(image, { colorType: 2, deflateLevel: 9, deflateStrategy: 0, filterType: 0 }),
    );
    return 0;
  }
  if (!existsSync(path)) throw new Error(`${path} is missing: see CONTRIBUTING.md on how it is made`);
  const { share, picture } = difference(readFileSync(path), png);
  if (share > 0) {
    writeFileSync(join(tmpdir(), `golden-${name}.png`), png);
    if (picture) writeFileSync(join(tmpdir(), `golden-${name}-difference.png`), picture);
  }
  return share;
}
