/**
 * Closes the database files that this process no longer uses. The SQLite package for Node 20 closes a file only when its prepared
 * statements are garbage, so that a closed database would otherwise still be in use.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const gc: () => void = runInNewContext("gc");

/** What one collection releases may be what keeps something else. */
const COLLECTIONS = 3;

export async function collectGarbage(): Promise<void> {
  for (let collection = 0; collection < COLLECTIONS; collection += 1) {
    gc();
    // The files are closed in the next turns of the event loop.
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}
