/** Global setup: creates one folder for all temporary files of a run, and removes it at the end of the run. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "playtest-run-"));
  // Other users may traverse it, because a database server that runs as another user stores its data below it.
  chmodSync(folder, 0o711);
  // Node and other programs read these variables to find the folder for temporary files.
  for (const name of ["TMPDIR", "TEMP", "TMP"]) process.env[name] = folder;
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once("exit", remove);
  return remove;
}
