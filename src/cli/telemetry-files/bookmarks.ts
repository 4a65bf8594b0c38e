/** Bookmarks: the position in a telemetry file, stored so that an interrupted run continues where it stopped. */
import { createHash } from "node:crypto";
import { readFile, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { PRIVATE_MODE, writeFileAtomically } from "../../shared/atomic-file.ts";
import { createPrivateFolder } from "../../shared/private-folder.ts";
import { STDIN } from "./bytes.ts";
import type { Bookmark } from "./send.ts";

interface StoredBookmark {
  readonly file: string;
  readonly target: string;
  readonly size: number;
  readonly modified: number;
  readonly line: number;
}

/** For input that cannot be resumed, such as standard input. */
export const noBookmark: Bookmark = { line: 0, save: async () => {}, clear: async () => {} };

interface BookmarkOptions {
  /** The folder for the progress of resumable commands. */
  readonly stateDir: string;
  readonly cwd: string;
  /** The service that the events are sent to. Each service has its own bookmark. */
  readonly target: string;
  /** Ignores the stored position. */
  readonly restart: boolean;
  /** What the requests depend on in addition to the file. Another value starts at the beginning. */
  readonly variant?: string;
}

/** The bookmark of a file. If the file has changed since, it starts at the beginning. */
export async function openBookmark(file: string, options: BookmarkOptions): Promise<Bookmark> {
  if (file === STDIN) return noBookmark;
  const path = resolve(options.cwd, file);
  const stats = await stat(path).catch(() => null);
  if (!stats?.isFile()) return noBookmark;
  const current = {
    file: path,
    target: options.target,
    size: stats.size,
    modified: Math.floor(stats.mtimeMs),
  };
  const name = createHash("sha256")
    .update(
      JSON.stringify([path, options.target, ...(options.variant === undefined ? [] : [options.variant])]),
    )
    .digest("hex")
    .slice(0, 24);
  const bookmarkPath = join(options.stateDir, "ingest", `${name}.json`);
  const stored = options.restart ? null : await readBookmark(bookmarkPath);
  const isUnchanged = stored?.size === current.size && stored.modified === current.modified;
  return {
    line: isUnchanged ? stored.line : 0,
    save: (line) => writeBookmark(bookmarkPath, { ...current, line }),
    clear: () => rm(bookmarkPath, { force: true }),
  };
}

async function readBookmark(path: string): Promise<StoredBookmark | null> {
  try {
    const bookmark = JSON.parse(await readFile(path, "utf8")) as Partial<StoredBookmark> | null;
    return typeof bookmark?.line === "number" ? (bookmark as StoredBookmark) : null;
  } catch {
    return null;
  }
}

/** Writes a bookmark, without flushing to disk: losing the newest one only means that some events are sent twice. */
async function writeBookmark(path: string, bookmark: StoredBookmark): Promise<void> {
  createPrivateFolder(dirname(path));
  await writeFileAtomically(path, JSON.stringify(bookmark), { mode: PRIVATE_MODE, durable: false });
}
