/** Compares images with the reviewed ones in test/golden/. PLAYTEST_RENEW_GOLDEN=1 replaces them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";

const FOLDER = join(import.meta.dirname, "..", "golden");
/** The color difference above which a pixel counts as different (pixelmatch's scale, 0 to 1). */
const COLOR_THRESHOLD = 0.1;

/** Returns the share of pixels that differ (0 to 1), and an image of the differences. The share is 1 if the sizes differ. */
export function difference(one: Uint8Array, other: Uint8Array): { share: number; diffImage: Buffer | null } {
  const [a, b] = [PNG.sync.read(Buffer.from(one)), PNG.sync.read(Buffer.from(other))];
  if (a.width !== b.width || a.height !== b.height) return { share: 1, diffImage: null };
  const { width, height } = a;
  const drawn = new PNG({ width, height });
  const count = pixelmatch(a.data, b.data, drawn.data, width, height, { threshold: COLOR_THRESHOLD });
  return { share: count / (width * height), diffImage: PNG.sync.write(drawn) };
}

/**
 * Returns the share of pixels (0 to 1) in which an image differs from the golden one. If any differ, the image and the
 * differences are written to the temporary folder.
 */
export function offGolden(name: string, png: Uint8Array): number {
  const path = join(FOLDER, `${name}.png`);
  if (process.env.PLAYTEST_RENEW_GOLDEN) {
    mkdirSync(dirname(path), { recursive: true });
    // Without alpha channel and with maximum compression, to save space in the repository.
    const image = PNG.sync.read(Buffer.from(png));
    writeFileSync(
      path,
      PNG.sync.write(image, { colorType: 2, deflateLevel: 9, deflateStrategy: 0, filterType: 0 }),
    );
    return 0;
  }
  if (!existsSync(path)) throw new Error(`${path} is missing. CONTRIBUTING.md describes how to create it.`);
  const { share, diffImage } = difference(readFileSync(path), png);
  if (share > 0) {
    writeFileSync(join(tmpdir(), `golden-${name}.png`), png);
    if (diffImage) writeFileSync(join(tmpdir(), `golden-${name}-difference.png`), diffImage);
  }
  return share;
}
