/** Folders that take long to fill in, so that the processes of a run share them. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 50;

/** Returns the folder of this name. The first process that asks for it fills it in, and the others wait. */
export async function shareFolder(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  // Only the folder of a run is removed at its end.
  const isRun = basename(tmpdir()).startsWith("playtest-run-");
  const shared = join(isRun ? tmpdir() : mkdtempSync(join(tmpdir(), "playtest-shared-")), name);
  const lock = `${shared}.lock`;
  while (!existsSync(shared)) {
    if (!takeLock(lock)) {
      await sleep(POLL_MS);
      continue;
    }
    try {
      // Another process may have finished since the check above.
      if (existsSync(shared)) break;
      const folder = mkdtempSync(`${shared}-`);
      await fill(folder);
      renameSync(folder, shared);
    } finally {
      rmdirSync(lock);
    }
  }
  return shared;
}

/** Whether this process is the first one to create the folder. */
function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
