/** The destination of an export, and the files next to its data: locks, the state, and the id that links a state file to its folder. */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { getDataset } from "../../../export/datasets/index.ts";
import { FolderTarget } from "../../../export/files/folder-target.ts";
import { SIDE_FOLDER } from "../../../export/files/partition.ts";
import { createParentFolder, findFolder } from "../../../export/files/paths.ts";
import { openFileTarget, openStreamTarget } from "../../../export/files/single-file-target.ts";
import type { TextSanitizer } from "../../../export/formats/encoder.ts";
import type { Encoding } from "../../../export/formats/index.ts";
import { acquireLock } from "../../../export/lock.ts";
import type { ExportQuery } from "../../../export/query.ts";
import type { ExportTarget } from "../../../export/run.ts";
import { ExportState } from "../../../export/state.ts";
import { csvJsonCell, csvTextCell } from "../../../render/csv.ts";
import { escapeJson } from "../../../render/text.ts";
import { writeFileAtomically } from "../../../shared/atomic-file.ts";
import { version } from "../../../shared/version.prepared.ts";
import type { Context } from "../../context.ts";
import { createLockHolder } from "../../file-lock.ts";
import type { Io } from "../../io.ts";
import { type Destination, type ExportOptions, STATE_FILE } from "./options.ts";

/** The lock of the current run. */
const LOCK_FILE = `${SIDE_FOLDER}/lock`;
/** Identifies the folder in a state file outside of it. */
const FOLDER_ID_FILE = `${SIDE_FOLDER}/id`;

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
    if (root !== null) {
      createParentFolder(join(root, "any"));
      // The lock and the state are never written to another place through a link.
      await findFolder(root, [SIDE_FOLDER]);
    }
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

/** The same rules as for the output of all other commands. */
const sanitizer: TextSanitizer = { csvText: csvTextCell, csvJson: csvJsonCell, json: escapeJson };

export async function openTarget(
  { io }: Context,
  { names, destination, format, gzip }: ExportOptions,
  source: { readonly service: string; readonly games: readonly string[] },
): Promise<ExportTarget> {
  const encoding: Encoding = { format, gzip, sanitizer, tool: `playtest ${version}` };
  const now = () => io.now();
  if (destination.kind === "folder")
    return new FolderTarget({ root: destination.path, encoding, ...source, now });
  const [name = "events"] = names;
  const options = { dataset: getDataset(name), encoding, ...source, now };
  if (destination.kind === "file") return await openFileTarget(destination.path, options);
  // Text is written as a string, because the stream treats strings and bytes differently.
  const binary = format === "parquet" || gzip;
  const sink = (bytes: Uint8Array) => io.out.write(binary ? bytes : Buffer.from(bytes).toString("utf8"));
  return await openStreamTarget(sink, options);
}
