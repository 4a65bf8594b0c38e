/** Keeps the place in a file between runs, so that an interrupted one goes on where it stopped. */
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { PRIVATE_MODE, writeFileAtomically } from "../../shared/atomic-file.ts";
import { STDIN } from "./lines.ts";
import type { Bookmark } from "./send.ts";

interface StoredBookmark {
  readonly file: string;
  readonly target: string;
  readonly size: number;
  readonly modified: number;
  readonly line: number;
}

/** Standard input cannot be taken up again. */
export const noBookmark: Bookmark = { line: 0, save: async () => {}, clear: async () => {} };

export interface BookmarkOptions {
  /** The folder of what is resumed. */
  readonly stateDir: string;
  readonly cwd: string;
  /** Where the events go: a place counts for one target alone. */
  readonly target: string;
  /** Begin anew whatever was kept. */
  readonly restart: boolean;
}

/** The bookmark of a file. A file that changed since begins anew. */
export async function openBookmark(file: string, options: BookmarkOptions): Promise<Bookmark> {
  if (file === STDIN) return noBookmark;
  const path = resolve(options.cwd, file);
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) return noBookmark;
  const current = {
    file: path,
    target: options.target,
    size: found.size,
    modified: Math.floor(found.mtimeMs),
  };
  const name = createHash("sha256")
    .update(JSON.stringify([path, options.target]))
    .digest("hex")
    .slice(0, 24);
  const place = join(options.stateDir, "ingest", `${name}.json`);
  const kept = options.restart ? null : await readBookmark(place);
  const same = kept !== null && kept.size === current.size && kept.modified === current.modified;
  return {
    line: same ? kept.line : 0,
    save: (line) => writeBookmark(place, { ...current, line }),
    clear: () => rm(place, { force: true }),
  };
}

async function readBookmark(path: string): Promise<StoredBookmark | null> {
  try {
    const place = JSON.parse(await readFile(path, "utf8")) as Partial<StoredBookmark> | null;
    return typeof place?.line === "number" ? (place as StoredBookmark) : null;
  } catch {
    return null;
  }
}

/** Writes a place. Losing the newest one only sends some events twice, which count once: no flush to disk per batch. */
async function writeBookmark(path: string, place: StoredBookmark): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFileAtomically(path, JSON.stringify(place), { mode: PRIVATE_MODE, durable: false });
}
