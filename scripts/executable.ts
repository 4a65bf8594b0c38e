/** Starts the program in a single executable, whose assets are the files of the program. Built by `build-executable.mjs`. */
import { getRawAsset } from "node:sea";
import type { ProgramFiles } from "./program-files.ts";

export { start } from "./loader.ts";
export { createRequireOfExecutable } from "./native-packages.ts";

export const files: ProgramFiles = {
  filename: process.execPath,
  read: (name) => Buffer.from(getRawAsset(`dist/${name}`) as ArrayBuffer),
};
