/** What an export keeps beside its files: locks, the state, and the mark that ties a state elsewhere to its folder. */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { acquireLock } from "../../../export/lock.ts";
import { readMachine } from "../../../export/machine.ts";
import type { ExportQuery } from "../../../export/query.ts";
import { ExportState } from "../../../export/state.ts";
import { writeFileAtomically } from "../../../shared/atomic-file.ts";
import type { Io } from "../../io.ts";
import type { Destination } from "./options.ts";

/** Where a folder keeps what is remembered between runs, and the lock of the run at work. */
export const STATE_FILE = ".playtest-export.json";
const LOCK_FILE = ".playtest-export.lock";
/** What a folder is known by to a state that lies elsewhere. */
const FOLDER_ID_FILE = ".playtest-export.id";

/** Holds the place while `work` goes on; a folder made for it that stays empty goes again where it fails. */
export async function withLocks<T>(
  { destination, state }: { readonly destination: Destination; readonly state: string | undefined },
  io: Io,
  work: () => Promise<T>,
): Promise<T> {
  const root = destination.kind === "folder" ? destination.path : null;
  const made = root === null ? [] : missingFolders(root);
  const releases: (() => Promise<void>)[] = [];
  let failed = true;
  try {
    const startedAt = io.now();
    const holder = {
      pid: io.pid,
      startedAt,
      machine: readMachine(startedAt),
      isAlive: (pid: number) => io.isAlive(pid),
    };
    for (const path of lockPaths(destination, state, io)) releases.push(await acquireLock(path, holder));
    const done = await work();
    failed = false;
    return done;
  } finally {
    for (const release of releases) await release();
    if (failed && made.length > 0) await removeEmptyFolders(root ?? "", made);
  }
}

/** A lock where files are written, and one beside a state that lies elsewhere; each once. */
function lockPaths(destination: Destination, state: string | undefined, io: Io): Set<string> {
  if (destination.kind === "stdout") return new Set();
  if (destination.kind === "file") return new Set([`${destination.path}.lock`]);
  const beside = state === undefined ? [] : [`${resolve(io.cwd, state)}.lock`];
  return new Set([join(destination.path, LOCK_FILE), ...beside]);
}

/** The folder and those above it that are not there, the innermost first. */
function missingFolders(path: string): string[] {
  return existsSync(path) ? [] : [path, ...missingFolders(dirname(path))];
}

/** Removes folders without anything in them, all those below the first of `made` included. */
async function removeEmptyFolders(root: string, made: readonly string[]): Promise<void> {
  const inside = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const folders = inside.filter((one) => one.isDirectory()).map((one) => join(one.parentPath, one.name));
  // One that holds anything refuses to go.
  for (const folder of [...folders.sort().reverse(), ...made]) await rmdir(folder).catch(() => {});
}

/** The state of a folder: its own, or one elsewhere that is tied to it, so that neither is taken for another's. */
export async function openState(
  folder: string,
  { state, dryRun }: { readonly state: string | undefined; readonly dryRun: boolean },
  io: Io,
  query: ExportQuery,
): Promise<ExportState> {
  const own = join(folder, STATE_FILE);
  const path = state === undefined ? own : resolve(io.cwd, state);
  if (path === own) return await ExportState.open(path, query);
  const mark = join(folder, FOLDER_ID_FILE);
  const known = existsSync(mark) ? (await readFile(mark, "utf8")).trim() : null;
  const id = known ?? randomUUID();
  const opened = await ExportState.open(path, { ...query, folder: id });
  if (known === null && !dryRun) await writeFileAtomically(mark, `${id}\n`);
  return opened;
}
