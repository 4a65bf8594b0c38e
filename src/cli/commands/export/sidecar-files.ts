/** The files that an export keeps next to its data: locks, the state, and the id that links a state file to its folder. */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { acquireLock } from "../../../export/lock.ts";
import type { ExportQuery } from "../../../export/query.ts";
import { ExportState } from "../../../export/state.ts";
import { writeFileAtomically } from "../../../shared/atomic-file.ts";
import { createLockHolder } from "../../file-lock.ts";
import type { Io } from "../../io.ts";
import type { Destination } from "./options.ts";

/** The state between runs, and the lock of the current run. */
export const STATE_FILE = ".playtest-export.json";
const LOCK_FILE = ".playtest-export.lock";
/** Identifies the folder in a state file outside of it. */
const FOLDER_ID_FILE = ".playtest-export.id";

/** Runs `work` while holding the locks. If it fails, removes the folders that it created and left empty. */
export async function withLocks<T>(
  { destination, state }: { readonly destination: Destination; readonly state: string | undefined },
  io: Io,
  work: () => Promise<T>,
): Promise<T> {
  const root = destination.kind === "folder" ? destination.path : null;
  const created = root === null ? [] : missingFolders(root);
  const releases: (() => Promise<void>)[] = [];
  let failed = true;
  try {
    const holder = createLockHolder(io);
    for (const path of lockPaths(destination, state, io)) releases.push(await acquireLock(path, holder));
    const result = await work();
    failed = false;
    return result;
  } finally {
    for (const release of releases) await release();
    if (failed && created.length > 0) await removeEmptyFolders(root ?? "", created);
  }
}

/** The lock of the destination, and one next to a state file outside of it, without duplicates. */
function lockPaths(destination: Destination, state: string | undefined, io: Io): Set<string> {
  if (destination.kind === "stdout") return new Set();
  if (destination.kind === "file") return new Set([`${destination.path}.lock`]);
  const stateLocks = state === undefined ? [] : [`${resolve(io.cwd, state)}.lock`];
  return new Set([join(destination.path, LOCK_FILE), ...stateLocks]);
}

/** The folder and its parents that do not exist, the innermost first. */
function missingFolders(path: string): string[] {
  return existsSync(path) ? [] : [path, ...missingFolders(dirname(path))];
}

/** Removes the created folders and all folders below `root`, if they are empty. */
async function removeEmptyFolders(root: string, created: readonly string[]): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const folders = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  // rmdir fails for a folder that is not empty.
  for (const folder of [...folders.sort().reverse(), ...created]) await rmdir(folder).catch(() => {});
}

/** Opens the state of a folder. A state file outside of the folder is linked to it by an id, so that they cannot be mixed up. */
export async function openState(
  folder: string,
  { state, dryRun }: { readonly state: string | undefined; readonly dryRun: boolean },
  io: Io,
  query: ExportQuery,
): Promise<ExportState> {
  const defaultPath = join(folder, STATE_FILE);
  const path = state === undefined ? defaultPath : resolve(io.cwd, state);
  if (path === defaultPath) return await ExportState.open(path, query);
  const idFile = join(folder, FOLDER_ID_FILE);
  const existingId = existsSync(idFile) ? (await readFile(idFile, "utf8")).trim() : null;
  const id = existingId ?? randomUUID();
  const opened = await ExportState.open(path, { ...query, folder: id });
  if (existingId === null && !dryRun) await writeFileAtomically(idFile, `${id}\n`);
  return opened;
}
