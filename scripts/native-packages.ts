/**
 * Packages with native code that the program contains: the SQLite driver of the installed package, and all of them in a
 * single executable. Node loads native code only from files, so they are copied to the user's cache folder when one of them
 * is first required. Only the `server` and `admin` commands and the keychain need them.
 */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cacheFolder } from "./code-cache.ts";
import type { Require } from "./loader.ts";

/** The files of the packages for one platform. `scripts/native-files.mjs` writes the index that describes them. */
export interface NativeFiles {
  /** The hash of all files. */
  readonly id: string;
  /** The SHA-256 hashes of the files, by their paths below `node_modules/`. */
  readonly hashes: Readonly<Record<string, string>>;
  /** Returns the content of a file. */
  read(path: string, hash: string): Buffer;
}

/** Returns a `require` for the packages, which copies their files first. */
export function requireFrom(native: NativeFiles): Require {
  return createRequire(join(provideFolder(native), "index.js"));
}

/** Where a process has its temporary copy, for the processes that it starts: those that are killed cannot remove their own. */
const COPY_VARIABLE = "_PLAYTEST_NATIVE";

/** Returns a folder with all files. Reuses that of an earlier start, or of the parent, if only this user can write it. */
function provideFolder(native: NativeFiles): string {
  const cache = cacheFolder();
  const folder = cache === null ? null : join(cache, `native-${native.id}`);
  const known = [folder, process.env[COPY_VARIABLE]].find((path) => path && isComplete(path, native));
  if (known) return known;
  try {
    if (cache !== null && folder !== null) return provideCached(cache, folder, native);
  } catch {
    // The cache folder cannot be written, or another process uses a damaged copy.
  }
  return provideTemporaryFolder(native);
}

/** Other processes may do the same at once, and may already use the folder, so that one that is complete is not touched. */
function provideCached(cache: string, folder: string, native: NativeFiles): string {
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const staged = mkdtempSync(join(cache, "staged-"));
  try {
    writeFiles(staged, native);
    if (!renames(staged, folder) && !isComplete(folder, native)) {
      renameSync(folder, `${staged}.old`);
      renameSync(staged, folder);
    }
    return folder;
  } finally {
    for (const path of [staged, `${staged}.old`]) removeIfPossible(path);
  }
}

/** Whether the folder could be renamed, which it cannot if the target has files. */
function renames(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

function removeIfPossible(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {}
}

function provideTemporaryFolder(native: NativeFiles): string {
  const folder = mkdtempSync(join(tmpdir(), "playtest-"));
  process.once("exit", () => removeIfPossible(folder));
  writeFiles(folder, native);
  process.env[COPY_VARIABLE] = folder;
  return folder;
}

function writeFiles(folder: string, { hashes, read }: NativeFiles): void {
  for (const [path, hash] of Object.entries(hashes)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, read(path, hash), { mode: 0o600 });
  }
}

/** Whether each file has the content that the program contains, and only this user can write the folder. */
function isComplete(folder: string, { hashes }: NativeFiles): boolean {
  try {
    const { uid, mode } = lstatSync(folder);
    if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0)) return false;
    return Object.entries(hashes).every(([path, hash]) => hashOf(readFileSync(join(folder, path))) === hash);
  } catch {
    return false;
  }
}

const hashOf = (content: Buffer) => createHash("sha256").update(content).digest("hex");
