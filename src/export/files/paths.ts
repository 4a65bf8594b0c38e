/** Names of folders and files made of names that others chose, and a folder that is never left. */
import { createHash } from "node:crypto";
import { lstat, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fail } from "../../contract/errors.ts";

/** File systems take 255 bytes a name; some are for what is put around it. */
const LONGEST = 150;

/**
 * A name as one segment of a path: letters, digits, `_`, `-` and inner dots stay, all else becomes %XX of its UTF-8, as
 * Hive and DuckDB read it. What would be too long is cut, with a hash in place of the rest.
 */
export function segmentOf(name: string): string {
  const bytes = Buffer.from(name, "utf8");
  let safe = "";
  for (const [at, byte] of bytes.entries()) {
    const character = String.fromCharCode(byte);
    const plain = /[A-Za-z0-9_-]/.test(character) || (character === "." && at > 0 && at < bytes.length - 1);
    safe += plain ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  if (safe.length <= LONGEST) return safe;
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  return `${safe.slice(0, LONGEST).replace(/%.?$/, "")}-${hash}`;
}

/**
 * The path below a folder, its own folders made. Throws `config` where a link or a file stands in its way: what is
 * written stays in the folder.
 */
export async function pathWithin(root: string, segments: readonly string[]): Promise<string> {
  await mkdir(root, { recursive: true });
  let path = root;
  for (const [at, segment] of segments.entries()) {
    path = join(path, segment);
    const last = at === segments.length - 1;
    const kind = await kindOf(path);
    if (kind === "link" || (kind !== null && kind !== (last ? "file" : "folder"))) throw inTheWay(path, kind);
    if (kind === null && !last) await mkdir(path);
  }
  return path;
}

function inTheWay(path: string, kind: string): Error {
  return fail("config", {
    message: `${path} is a ${kind}${kind === "link" ? ", which is not followed" : ""}`,
    hint: "Move it away, or name another folder with --out.",
  });
}

async function kindOf(path: string): Promise<"link" | "folder" | "file" | null> {
  try {
    const found = await lstat(path);
    return found.isSymbolicLink() ? "link" : found.isDirectory() ? "folder" : "file";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Makes the folder that a file goes to. */
export async function makeFolderOf(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
}
