/** Global setup: builds the program for tests that run it from dist/, unless dist/ is newer than its sources. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";

const root = join(import.meta.dirname, "..");

export default async function buildProgram(): Promise<void> {
  if (!isUpToDate()) await execa(process.execPath, [join(root, "scripts", "build.mjs")]);
}

/** Whether all inputs of the build are older than its output. Folders are checked too, to notice deleted files. */
function isUpToDate(): boolean {
  const built = statSync(join(root, "dist", "bin.js"), { throwIfNoEntry: false });
  if (!built) return false;
  const folders = ["src", "scripts"].flatMap((folder) => [
    folder,
    ...readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) =>
      join(folder, path),
    ),
  ]);
  const sources = ["package.json", "package-lock.json", "docs/openapi.json", ...folders];
  return sources.every((path) => statSync(join(root, path)).mtimeMs < built.mtimeMs);
}
