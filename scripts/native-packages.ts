/**
 * The packages with native code in a single executable. Node loads native code only from files, so they are copied to the
 * user's cache folder when one of them is first required. Only the `server` and `admin` commands and the keychain need them.
 */
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getAsset, getRawAsset } from "node:sea";
import { cacheFolder } from "./code-cache.ts";
import type { Require } from "./loader.ts";

/** The asset that describes the others. */
interface NativeFiles {
  /** The hash of all files. */
  readonly id: string;
  /** Paths below `node_modules/`, which are also the names of the assets. */
  readonly paths: readonly string[];
}

/** The `require` of the program: modules of Node, and the packages that the executable contains. */
export function createRequireOfExecutable(requireBuiltin: Require): Require {
  let requirePackage: Require | null = null;
  return (name) => {
    if (isBuiltin(name)) return requireBuiltin(name);
    requirePackage ??= createRequire(join(provideFolder(), "index.js"));
    return requirePackage(name);
  };
}

/** Returns a folder with all files. Reuses the folder of an earlier start if only this user can write it. */
function provideFolder(): string {
  const native = JSON.parse(getAsset("native.json", "utf8")) as NativeFiles;
  const cache = cacheFolder();
  if (cache === null) return provideTemporaryFolder(native);
  const folder = join(cache, `native-${native.id}`);
  if (isComplete(folder, native)) return folder;
  const staged = `${folder}.${process.pid}`;
  try {
    writeFiles(staged, native);
    rmSync(folder, { recursive: true, force: true });
    renameSync(staged, folder);
    return folder;
  } catch {
    // Another process may have created the folder meanwhile, or the cache folder cannot be written.
    removeIfPossible(staged);
    return isComplete(folder, native) ? folder : provideTemporaryFolder(native);
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
  return folder;
}

function writeFiles(folder: string, { paths }: NativeFiles): void {
  for (const path of paths) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, readAsset(path), { mode: 0o600 });
  }
}

/** Whether each file has the content of its asset, and only this user can write the folder. */
function isComplete(folder: string, { paths }: NativeFiles): boolean {
  try {
    const { uid, mode } = lstatSync(folder);
    if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0)) return false;
    return paths.every((path) => readFileSync(join(folder, path)).equals(readAsset(path)));
  } catch {
    return false;
  }
}

const readAsset = (path: string) => Buffer.from(getRawAsset(path) as ArrayBuffer);
