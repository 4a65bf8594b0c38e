/** Creates folders with their missing parents. */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Creates a folder and its missing parents, all with the same permissions before the umask. Throws the system's error. The
 * option `recursive` of Node's mkdir never returns if an existing parent, such as /proc, reports that it does not exist.
 */
export function createFolder(path: string, mode = 0o777): void {
  const missing: string[] = [];
  let folder = resolve(path);
  while (!existsSync(folder) && dirname(folder) !== folder) {
    missing.unshift(folder);
    folder = dirname(folder);
  }
  for (const one of [folder, ...missing]) createOne(one, mode);
}

/** Creates a folder whose parent exists. Another process may create it at the same time. */
function createOne(folder: string, mode: number): void {
  if (isFolder(folder)) return;
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
