/** The level image under a heatmap: loaded, validated and embedded in the output. */
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { RoomBounds } from "../../charts/heatmap-view.ts";
import type { LevelMap } from "../../render/svg/heatmap-frame.ts";
import { fail } from "../errors.ts";
import { explainReadError } from "../file-errors.ts";
import type { Io } from "../io.ts";

/** Larger files make the output too large for email and slow in browsers. */
const MAX_BYTES = 16_000_000;
/** Drawing needs four bytes per pixel, and a small compressed file can contain very many pixels. */
const MAX_PIXELS = 64_000_000;

/** Parses `--map-bounds`. Throws `usage` unless it is four numbers with xMin < xMax and yMin < yMax. */
export function parseMapBounds(text: string): RoomBounds {
  const parts = text.split(",").map((part) => part.trim());
  const numbers = parts.map((part) => (part === "" ? Number.NaN : Number(part)));
  const [xMin = 0, yMin = 0, xMax = 0, yMax = 0] = numbers;
  if (numbers.length === 4 && numbers.every(Number.isFinite) && xMin < xMax && yMin < yMax)
    return { xMin, yMin, xMax, yMax };
  throw fail("usage", {
    message: `--map-bounds ${JSON.stringify(text)} is not xMin,yMin,xMax,yMax with xMin < xMax and yMin < yMax`,
    hint: "Give the game coordinates of the image's top left and bottom right corners, such as --map-bounds 0,0,120,80.",
  });
}

/** Loads the level image. `forPng` means that the output is a PNG, which cannot embed WebP. Throws `config`. */
export async function loadLevelMap(
  { file, bounds, forPng }: { readonly file: string; readonly bounds: RoomBounds; readonly forPng: boolean },
  { cwd }: Pick<Io, "cwd">,
): Promise<LevelMap> {
  const path = resolve(cwd, file);
  const mapError = (reason: string, hint: string, cause?: unknown) =>
    fail("config", { message: `--map ${JSON.stringify(file)}: ${reason}`, hint, cause });
  const bytes = await readImageFile(path, mapError);
  const type = detectImageType(bytes);
  if (type === null)
    throw mapError("not a PNG, JPEG or WebP image", "Save the image in one of these formats.");
  if (type === "image/webp" && forPng) {
    throw mapError(
      "a WebP image cannot be drawn into a PNG file",
      "Save the image as PNG or JPEG, or set --out to an SVG or HTML file.",
    );
  }
  const size = readImageSize(bytes, type);
  if (size !== null && size.width * size.height > MAX_PIXELS) {
    throw mapError(
      `the image is too large (${size.width} by ${size.height} pixels)`,
      `Reduce it to ${MAX_PIXELS / 1e6} million pixels or fewer.`,
    );
  }
  return { uri: `data:${type};base64,${bytes.toString("base64")}`, bounds };
}

/** What to do if the image cannot be read, by error code. */
const readHints: Readonly<Record<string, string>> = {
  ENOENT: "Check the path of the image.",
  EISDIR: "Pass the path of an image file.",
  EACCES: "Check the permissions of the image.",
};

async function readImageFile(
  path: string,
  mapError: (reason: string, hint: string, cause?: unknown) => Error,
): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) {
      throw mapError(
        `the file is too large (${Math.ceil(size / 1e6)} MB)`,
        `Reduce it to ${MAX_BYTES / 1e6} MB or less; a few hundred kB are usually enough.`,
      );
    }
    return await readFile(path);
  } catch (cause) {
    const hint = readHints[(cause as NodeJS.ErrnoException).code ?? ""];
    if (hint === undefined) throw cause;
    throw mapError(explainReadError(cause), hint, cause);
  }
}

type ImageType = "image/png" | "image/jpeg" | "image/webp";

/**
 * Detects the type from the first bytes of the file (PNG specification 5.2, JPEG (ITU-T T.81) B.1.1.3, RIFF container of
 * WebP). Null for other types.
 */
function detectImageType(bytes: Buffer): ImageType | null {
  if (bytes.subarray(0, 8).toString("latin1") === "\x89PNG\r\n\x1a\n") return "image/png";
  if (bytes.length > 3 && bytes.readUIntBE(0, 3) === 0xffd8ff) return "image/jpeg";
  const riff = bytes.subarray(0, 4).toString("latin1") === "RIFF";
  return riff && bytes.subarray(8, 12).toString("latin1") === "WEBP" ? "image/webp" : null;
}

/** The size in pixels, from the IHDR chunk of a PNG or the frame header of a JPEG; null if it cannot be determined. */
function readImageSize(bytes: Buffer, type: ImageType): { width: number; height: number } | null {
  if (type === "image/png") {
    return bytes.length < 24 ? null : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (type === "image/webp") return null;
  for (let offset = 2; offset + 9 < bytes.length && bytes[offset] === 0xff; ) {
    const marker = bytes[offset + 1] ?? 0;
    // SOF0 to SOF15. DHT, JPG and DAC are in the same range of numbers.
    const isFrameHeader = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrameHeader)
      return { height: bytes.readUInt16BE(offset + 5), width: bytes.readUInt16BE(offset + 7) };
    offset += 2 + bytes.readUInt16BE(offset + 2);
  }
  return null;
}
