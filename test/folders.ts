/** Before the tests: one folder for all that a run puts among temporary files; it is gone however the run ends. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "playtest-run-"));
  // Others may pass through it: a database server that runs as somebody else has its folder in it.
  chmodSync(folder, 0o711);
  // Whatever tests and their processes make finds its place by these.
  for (const name of ["TMPDIR", "TEMP", "TMP"]) process.env[name] = folder;
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once("exit", remove);
  return remove;
}
