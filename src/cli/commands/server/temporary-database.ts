/** The file of a database that is called `:memory:`: processes cannot share a database in memory. It exists while its server runs. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Io } from "../../io.ts";

const PREFIX = "playtest-memory-";

interface TemporaryDatabase {
  readonly file: string;
  remove(): void;
}

/** Creates a folder that only this user can read, and removes those that killed processes have left. */
export function createTemporaryDatabase({ pid, isAlive }: Pick<Io, "pid" | "isAlive">): TemporaryDatabase {
  for (const name of readdirSync(tmpdir())) {
    const owner = Number(/^playtest-memory-(\d+)-/.exec(name)?.[1] ?? Number.NaN);
    if (!Number.isNaN(owner) && !isAlive(owner)) removeFolder(join(tmpdir(), name));
  }
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${pid}-`));
  return { file: join(folder, "memory.db"), remove: () => removeFolder(folder) };
}

/** Those of other users cannot be removed. */
function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {}
}
