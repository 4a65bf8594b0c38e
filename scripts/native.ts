/** Loads the SQLite driver that `dist/` contains. `build.mjs` makes `dist/native.js` of it, which Node without a driver needs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import type { Require } from "./loader.ts";
import { type NativeFiles, requireFrom } from "./native-packages.ts";

let requireLoaded: Require | null = null;

/** Requires a package from the files in `folder`, which are copied once. Throws if there is no driver for this platform. */
export function requirePackage(folder: string, name: string): unknown {
  requireLoaded ??= requireFrom(describeDriver(folder));
  return requireLoaded(name);
}

function describeDriver(folder: string): NativeFiles {
  const platforms = JSON.parse(readFileSync(join(folder, "native.json"), "utf8"));
  const platform = `${process.platform}-${process.arch}`;
  const described = platforms[platform] as Omit<NativeFiles, "read"> | undefined;
  if (!described) throw new Error(`It has no binary for ${platform}`);
  const read = (_path: string, hash: string) =>
    brotliDecompressSync(readFileSync(join(folder, `${hash}.br`)));
  return { ...described, read };
}
