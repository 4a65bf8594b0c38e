/** Builds the program once before the system tests, all of which run it from dist/. */
import { join } from "node:path";
import { execa } from "execa";

export default async function build(): Promise<void> {
  await execa(process.execPath, [join(import.meta.dirname, "..", "..", "scripts", "build.mjs")]);
}
