/** Names of folders and files made of names that others chose, and a folder that is never left. */
import { createHash } from "node:crypto";
import { lstat, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ExportError } from "../errors.ts";

/** File systems take 255 bytes a name; some are for what is put around it. */
const MAX_SEGMENT_LENGTH = 150;

/**
 * A name as one segment of a path: letters, digits, `_`, `-` and inner dots stay, all else becomes %XX of its UTF-8, as
 * Hive and DuckDB read it. What would be too long is cut, with a hash in place of the rest.
 */
export function toPathSegment(name: string): string {
  const bytes = Buffer.from(name, "utf8");
  let safe = "";
  for (const [at, byte] of bytes.entries()) {
    const character = String.fromCharCode(byte);
    const plain = /[A-Za-z0-9_-]/.test(character) || (character === "." && at > 0 && at < bytes.length - 1);
    safe += plain ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  if (safe.length <= MAX_SEGMENT_LENGTH) return safe;
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  return `${safe.slice(0, MAX_SEGMENT_LENGTH).replace(/%.?$/, "")}-${hash}`;
}

/**
 * The path below a folder, its own folders made. Throws `path_blocked` where a link or a file stands in its way: what is
 * written stays in the folder.
 */
export async function preparePath(root: string, segments: readonly string[]): Promise<string> {
  await mkdir(root, { recursive: true });
  let path = root;
  for (const [at, segment] of segments.entries()) {
    path = join(path, segment);
    const last = at === segments.length - 1;
    const kind = await readPathKind(path);
    if (kind === "link" || (kind !== null && kind !== (last ? "file" : "folder")))
      throw pathBlockedError(path, kind);
    if (kind === null && !last) await mkdir(path);
  }
  return path;
}

/** The folder below another, made of these segments; null where it is not there. Throws `path_blocked` as `pathWithin`. */
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

/** The names in a folder; none where it is not there. */
export async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** The error of a path that something else is at. */
export function pathBlockedError(path: string, kind: string): Error {
  return new ExportError(
    "path_blocked",
    `${path} is a ${kind}${kind === "link" ? ", which is not followed" : ""}`,
    "Move it away, or name another folder with --out.",
  );
}

/** What is at a path itself; null for nothing. */
export async function readPathKind(path: string): Promise<"link" | "folder" | "file" | null> {
  try {
    const found = await lstat(path);
    return found.isSymbolicLink() ? "link" : found.isDirectory() ? "folder" : "file";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Makes the folder that a file goes to. Throws `path_blocked` where a file is in its place, or in the place of one above. */
export async function createParentFolder(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    const { code, path: at = dirname(path) } = error;
    throw code === "EEXIST" || code === "ENOTDIR" ? pathBlockedError(at, "file") : error;
  });
}
