/** Starts the program in a single executable, whose assets are the files of the program. Built by `build-executable.mjs`. */
import { isBuiltin } from "node:module";
import { getAsset, getRawAsset } from "node:sea";
import type { Require } from "./loader.ts";
import { type NativeFiles, requireFrom } from "./native-packages.ts";
import type { ProgramFiles } from "./program-files.ts";

export { start } from "./loader.ts";

const readAsset = (name: string) => Buffer.from(getRawAsset(name) as ArrayBuffer);

export const files: ProgramFiles = {
  filename: process.execPath,
  read: (name) => readAsset(`dist/${name}`),
};

/** The `require` of the program: modules of Node, and the packages that the executable contains. */
export function createRequireOfExecutable(requireBuiltin: Require): Require {
  let requirePackage: Require | null = null;
  return (name) => {
    if (isBuiltin(name)) return requireBuiltin(name);
    const described = JSON.parse(getAsset("native.json", "utf8")) as Omit<NativeFiles, "read">;
    requirePackage ??= requireFrom({ ...described, read: readAsset });
    return requirePackage(name);
  };
}
