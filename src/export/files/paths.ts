/** Safe paths for exported files: names from the service are encoded, and symbolic links are never followed. */
import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createFolder } from "../../shared/create-folder.ts";
import { ExportError } from "../errors.ts";

/** File systems allow names of 255 bytes. The rest is reserved for prefixes and suffixes. */
const MAX_SEGMENT_LENGTH = 150;

/**
 * Encodes a name as one segment of a path: all characters except letters, digits, `_`, `-` and inner dots become %XX
 * for each UTF-8 byte, which Hive and DuckDB decode. Long names are truncated and end in a hash.
 */
export function toPathSegment(name: string): string {
  const bytes = Buffer.from(name, "utf8");
  let encoded = "";
  for (const [index, byte] of bytes.entries()) {
    const character = String.fromCharCode(byte);
    const isSafe =
      /[A-Za-z0-9_-]/.test(character) || (character === "." && index > 0 && index < bytes.length - 1);
    encoded += isSafe ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  if (encoded.length <= MAX_SEGMENT_LENGTH) return encoded;
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  return `${encoded.slice(0, MAX_SEGMENT_LENGTH).replace(/%.?$/, "")}-${hash}`;
}

/**
 * Returns the path of a file below a folder, and creates its parent folders. Throws `path_blocked` if a link or a file
 * is in the way, so that no file is written outside of the folder.
 */
export async function preparePath(root: string, segments: readonly string[]): Promise<string> {
  createFolder(root);
  let path = root;
  for (const [index, segment] of segments.entries()) {
    path = join(path, segment);
    const isLast = index === segments.length - 1;
    const kind = await readPathKind(path);
    if (kind === "link" || (kind !== null && kind !== (isLast ? "file" : "folder")))
      throw pathBlockedError(path, kind);
    if (kind === null && !isLast) await mkdir(path);
  }
  return path;
}

/** The path of an existing folder below another; null if it does not exist. Throws `path_blocked` for a link or a file. */
export async function findFolder(root: string, segments: readonly string[]): Promise<string | null> {
  let path = root;
  for (const segment of segments) {
    path = join(path, segment);
    const kind = await readPathKind(path);
    if (kind === null) return null;
    if (kind !== "folder") throw pathBlockedError(path, kind);
  }
  return path;
}

/** The names in a folder; empty if it does not exist. */
export async function listFolder(folder: string): Promise<string[]> {
  return (await ignoreMissing(readdir(folder))) ?? [];
}

/** The text of a file; null if it does not exist. */
export const readTextOrNull = (path: string): Promise<string | null> => ignoreMissing(readFile(path, "utf8"));

/** The result of reading something; null if it does not exist. */
async function ignoreMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** The error of a path that is taken by something else. */
export function pathBlockedError(path: string, kind: string): Error {
  return new ExportError(
    "path_blocked",
    `Cannot use ${path}: it is a ${kind === "link" ? "symbolic link" : kind}`,
    "Move or delete it, or set --out to another path.",
  );
}

/** What exists at a path, without following links; null for nothing. */
export async function readPathKind(path: string): Promise<"link" | "folder" | "file" | null> {
  const stats = await ignoreMissing(lstat(path));
  if (stats === null) return null;
  return stats.isSymbolicLink() ? "link" : stats.isDirectory() ? "folder" : "file";
}

/** Creates the parent folder of a file. Throws `path_blocked` if the folder or one of its parents is a file. */
export function createParentFolder(path: string): void {
  try {
    createFolder(dirname(path));
  } catch (error) {
    const { code, path: blockedPath = dirname(path) } = error as NodeJS.ErrnoException;
    throw code === "EEXIST" || code === "ENOTDIR" ? pathBlockedError(blockedPath, "file") : error;
  }
}
