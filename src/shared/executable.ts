/** The single executable, which contains Node and the files of the program as assets. See `scripts/build-executable.mjs`. */
import { getRawAsset, isSea } from "node:sea";

/**
 * A file of the program, by its path in the package; null outside of the executable, where it is a file on disk. Throws if
 * the executable does not contain the file.
 */
export function readAsset(path: string): Buffer | null {
  return isSea() ? Buffer.from(getRawAsset(path) as ArrayBuffer) : null;
}
