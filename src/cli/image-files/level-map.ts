/** The image of a level that cells are drawn over: read, checked and made part of the picture. */
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { RoomBounds } from "../../charts/heatmap-view.ts";
import type { LevelMap } from "../../render/svg/heatmap-frame.ts";
import { fail } from "../errors.ts";
import type { Io } from "../io.ts";

/** Larger files make pictures that no mail and no browser likes. */
const MAX_BYTES = 16_000_000;
/** What drawing takes four bytes for each of; a small file may unpack into far more. */
const MAX_PIXELS = 64_000_000;

/** Reads `--map-bounds`. Throws `usage` where it is no four numbers that span a world. */
export function parseMapBounds(given: string): RoomBounds {
  const parts = given.split(",").map((part) => part.trim());
  const [xMin, yMin, xMax, yMax] = parts.map((part) => (part === "" ? Number.NaN : Number(part)));
  const known = [xMin, yMin, xMax, yMax].every((one) => one !== undefined && Number.isFinite(one));
  if (
    !known ||
    parts.length !== 4 ||
    xMin === undefined ||
    yMin === undefined ||
    xMax === undefined ||
    yMax === undefined ||
    xMin >= xMax ||
    yMin >= yMax
  ) {
    throw fail("usage", {
      message: `--map-bounds ${JSON.stringify(given)} is not xMin,yMin,xMax,yMax with each least below its most`,
      hint: "The world at the image's upper left and lower right corners: --map-bounds 0,0,120,80.",
    });
  }
  return { xMin, yMin, xMax, yMax };
}

/** The map; `forPng` says that it will be drawn here. Throws `config` naming the file and what is wrong with it. */
export async function loadLevelMap(
  { file, bounds, forPng }: { readonly file: string; readonly bounds: RoomBounds; readonly forPng: boolean },
  { cwd }: Pick<Io, "cwd">,
): Promise<LevelMap> {
  const path = resolve(cwd, file);
  const refuse = (why: string, hint: string, cause?: unknown) =>
    fail("config", { message: `--map ${JSON.stringify(file)}: ${why}`, hint, cause });
  const bytes = await readImageFile(path, refuse);
  const type = detectImageType(bytes);
  if (type === null) throw refuse("it is no PNG, JPEG or WebP", "Save the level's image as one of them.");
  if (type === "image/webp" && forPng) {
    throw refuse("a WebP cannot be drawn into a PNG", "Save it as PNG or JPEG, or write an SVG or HTML.");
  }
  const size = readImageSize(bytes, type);
  if (size !== null && size.width * size.height > MAX_PIXELS) {
    throw refuse(
      `it is ${size.width} by ${size.height} pixels`,
      `Make it smaller: ${MAX_PIXELS / 1e6} million at most.`,
    );
  }
  return { uri: `data:${type};base64,${bytes.toString("base64")}`, bounds };
}

async function readImageFile(
  path: string,
  refuse: (why: string, hint: string, cause?: unknown) => Error,
): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) {
      throw refuse(
        `it is ${Math.ceil(size / 1e6)} MB`,
        `Make it smaller: ${MAX_BYTES / 1e6} MB at most, and a few hundred kB look the same.`,
      );
    }
    return await readFile(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") throw refuse("there is no such file", "Check the path of the image.", cause);
    if (code === "EISDIR") throw refuse("it is a folder", "Name the image that is in it.", cause);
    if (code === "EACCES") throw refuse("permission is denied", "Check the permissions of the image.", cause);
    throw cause;
  }
}

type ImageType = "image/png" | "image/jpeg" | "image/webp";

/** By its first bytes, whatever its name says (PNG 5.2, JPEG B.1.1.3, RIFF container of WebP); null for anything else. */
function detectImageType(bytes: Buffer): ImageType | null {
  if (bytes.subarray(0, 8).toString("latin1") === "\x89PNG\r\n\x1a\n") return "image/png";
  if (bytes.length > 3 && bytes.readUIntBE(0, 3) === 0xffd8ff) return "image/jpeg";
  const riff = bytes.subarray(0, 4).toString("latin1") === "RIFF";
  return riff && bytes.subarray(8, 12).toString("latin1") === "WEBP" ? "image/webp" : null;
}

/** Pixels, from the PNG's IHDR or the JPEG's frame header; null where it tells none, which leaves it to the browser. */
function readImageSize(bytes: Buffer, type: ImageType): { width: number; height: number } | null {
  if (type === "image/png") {
    return bytes.length < 24 ? null : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (type === "image/webp") return null;
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0;
    // SOF0 to SOF15 but for DHT, JPG and DAC, which share their numbers' range.
    const frame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (frame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}
