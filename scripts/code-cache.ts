/**
 * Stores the compiled form of `core.js` (V8's code cache). The build writes one next to `core.js` for the version of Node
 * that it runs on. For other versions, the program writes one to the user's cache folder. V8 checks the version and flags
 * of a cache but does not detect damaged data, so a user's cache contains the data twice. It is used only if both copies
 * are equal and no other user can write the file. Errors are ignored: without a cache, the program only starts slower.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { isAbsolute, join } from "node:path";
import type { ProgramFiles } from "./program-files.ts";

/** Caches that were written longer ago than this are removed, ms. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

/** The file name, which is specific to a build of the program and a build of Node. */
export function cacheName(id: string): string {
  return `core-${id}-${process.version}-${process.platform}-${process.arch}.cache`;
}

/** Returns the cache that ships with the program; null if there is none for this version of Node. */
export function readShippedCache(files: ProgramFiles, id: string): Buffer | null {
  try {
    return files.read(cacheName(id));
  } catch {
    return null;
  }
}

/** Returns the cache that an earlier start wrote; null if there is none, or if it is not safe to use. */
export function readUserCache(id: string): Buffer | null {
  const folder = cacheFolder();
  if (folder === null) return null;
  let file: number | null = null;
  try {
    file = openSync(join(folder, cacheName(id)), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    if (!isWritableOnlyByUser(file)) return null;
    const bytes = readFileSync(file);
    const half = bytes.length / 2;
    const first = bytes.subarray(0, half);
    return half > 0 && first.equals(bytes.subarray(half)) ? first : null;
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** Writes the cache when the process exits, because only functions that have run are compiled. */
export function writeUserCacheOnExit(id: string, createData: () => Buffer): void {
  const folder = cacheFolder();
  if (folder === null) return;
  process.once("exit", () => {
    const path = join(folder, cacheName(id));
    const staged = `${path}.${process.pid}`;
    const isWritten = succeeds(() => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeTwice(staged, createData());
      renameSync(staged, path);
    });
    succeeds(() => (isWritten ? removeOldCaches(folder) : rmSync(staged, { force: true })));
  });
}

/** Runs `work` and returns whether it succeeded. Errors are ignored. */
function succeeds(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

function writeTwice(path: string, data: Buffer): void {
  const file = openSync(path, "wx", 0o600);
  try {
    for (const copy of [data, data]) writeFileSync(file, copy);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Whether only this user can write the file. */
function isWritableOnlyByUser(file: number): boolean {
  const { uid, mode } = fstatSync(file);
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

function removeOldCaches(folder: string): void {
  const oldest = Date.now() - MAX_AGE_MS;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (/^(core|native|staged)-/.test(name) && statSync(path).mtimeMs < oldest)
      rmSync(path, { force: true, recursive: true });
  }
}

/** The user's folder for code caches by the conventions of the system; null if it is unknown. */
export function cacheFolder(): string | null {
  const { XDG_CACHE_HOME, HOME, LOCALAPPDATA } = process.env;
  const inHome = process.platform === "darwin" ? "Library/Caches" : ".cache";
  const base = process.platform === "win32" ? LOCALAPPDATA : XDG_CACHE_HOME || (HOME && join(HOME, inHome));
  return base && isAbsolute(base) ? join(base, "playtest", "code") : null;
}
