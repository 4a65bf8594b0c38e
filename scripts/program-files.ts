/** The files of the built program. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Where the files are: in a folder, or within a single executable. */
export interface ProgramFiles {
  /** The path of `bin.js`, or of the executable. */
  readonly filename: string;
  /** Throws if there is no such file. */
  read(name: string): Buffer;
}

/** The files in the folder of `bin.js`. */
export function readFolder(folder: string): ProgramFiles {
  return { filename: join(folder, "bin.js"), read: (name) => readFileSync(join(folder, name)) };
}
