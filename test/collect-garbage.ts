/**
 * Closes the database files that this process no longer uses. The SQLite package for Node 20 closes a file only when its prepared
 * statements are garbage, so that a closed database would otherwise still be in use.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const gc: () => void = runInNewContext("gc");

export async function collectGarbage(): Promise<void> {
  gc();
  // The files are closed in the next turns of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
}
