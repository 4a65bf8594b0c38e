/** Collects garbage, for tests of memory and of the files that databases use. */
import { readdirSync, readlinkSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const gc: () => void = runInNewContext("gc");

/** What one collection releases may be what keeps something else. */
const COLLECTIONS = 3;

async function collect(): Promise<void> {
  gc();
  // The files are closed in the next turns of the event loop.
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

export async function collectGarbage(): Promise<void> {
  for (let collection = 0; collection < COLLECTIONS; collection += 1) await collect();
}

/**
 * Closes the database files that this process no longer uses. The SQLite package for Node 20 closes a file only when its prepared
 * statements are garbage, so that a closed database would otherwise still be in use.
 */
export async function releaseDatabases(): Promise<void> {
  for (let collection = 0; collection < COLLECTIONS && hasOpenDatabase(); collection += 1) await collect();
}

/** Whether this process has a database file open, or cannot find out. */
function hasOpenDatabase(): boolean {
  try {
    return readdirSync("/proc/self/fd").some((descriptor) => findPath(descriptor).includes(".db"));
  } catch {
    return true;
  }
}

/** The path of an open file. Empty for a file that was closed since, such as the folder of descriptors. */
function findPath(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}
