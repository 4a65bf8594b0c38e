/**
 * Where the compiled form of `core.js` is kept: beside it as the build left it, for the Node that built it, else in the
 * user's own cache folder. V8 checks its version and flags but takes damaged data as it is, so a file is believed only
 * when it is the user's alone and both copies in it agree. No fault here is ever told: without a cache the program
 * starts slower, and no more.
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

/** Caches of versions that were last written so long ago are removed, ms. */
const KEEP_MS = 30 * 24 * 60 * 60 * 1000;

/** The file's name: it fits one build of the program on one build of Node. */
export function cacheName(id: string): string {
  return `core-${id}-${process.version}-${process.platform}-${process.arch}.cache`;
}

/** The cache that came with the program; null where it is for another Node. */
export function readShippedCache(folder: string, id: string): Buffer | null {
  try {
    return readFileSync(join(folder, cacheName(id)));
  } catch {
    return null;
  }
}

/** The cache that an earlier start left; null where there is none to believe. */
export function readUserCache(id: string): Buffer | null {
  const folder = cacheFolder();
  if (folder === null) return null;
  let file: number | null = null;
  try {
    file = openSync(join(folder, cacheName(id)), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    if (!isOwn(file)) return null;
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

/** Writes the cache when the process ends, once the functions it ran are compiled. */
export function keepCache(id: string, make: () => Buffer): void {
  const folder = cacheFolder();
  if (folder === null) return;
  process.once("exit", () => {
    const path = join(folder, cacheName(id));
    const staged = `${path}.${process.pid}`;
    const done = quietly(() => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeTwice(staged, make());
      renameSync(staged, path);
    });
    quietly(() => (done ? removeOld(folder) : rmSync(staged, { force: true })));
  });
}

/** Whether the work went well; its fault is nobody's concern. */
function quietly(work: () => void): boolean {
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

/** Whether only this user can have written the file. */
function isOwn(file: number): boolean {
  const { uid, mode } = fstatSync(file);
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

function removeOld(folder: string): void {
  const oldest = Date.now() - KEEP_MS;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.startsWith("core-") && statSync(path).mtimeMs < oldest) rmSync(path, { force: true });
  }
}

/** The user's cache folder by the conventions of the system; null where none is known. */
function cacheFolder(): string | null {
  const { XDG_CACHE_HOME, HOME, LOCALAPPDATA } = process.env;
  const inHome = process.platform === "darwin" ? "Library/Caches" : ".cache";
  const base = process.platform === "win32" ? LOCALAPPDATA : XDG_CACHE_HOME || (HOME && join(HOME, inHome));
  return base && isAbsolute(base) ? join(base, "playtest", "code") : null;
}
