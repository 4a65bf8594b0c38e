/** The files of a backup folder: each backup and its manifest, which is written only after the backup was checked. */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, statSync } from "node:fs";
import { readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import * as z from "zod";
import { PRIVATE_MODE, syncFolder, writeFileAtomically } from "../../shared/atomic-file.ts";
import { isPostgres } from "../db/open.ts";
import { removeSqlite, SQLITE_SUFFIXES } from "../db/sqlite-copy.ts";

const manifestSchema = z.object({
  /** The name of the backup in the same folder. */
  backup: z.string(),
  /** The file or URL of the database, without a password. */
  database: z.string(),
  createdAt: z.iso.datetime(),
  version: z.string(),
  bytes: z.int().min(0),
  sha256: z.string(),
  rows: z.int().min(0),
});

export type BackupManifest = z.output<typeof manifestSchema>;

/** A backup whose manifest exists and whose size matches it. */
export interface StoredBackup extends BackupManifest {
  readonly path: string;
}

const MANIFEST_SUFFIX = ".json";
const DRAFT_SUFFIX = ".tmp";

/** How the names of a database's backups begin: the name of the file or of the Postgres database. */
export function getBackupPrefix(location: string): string {
  const path = isPostgres(location) && URL.canParse(location) ? new URL(location).pathname : location;
  return `${basename(path, extname(path)).replaceAll(/[^A-Za-z0-9_-]/g, "-") || "playtest"}-`;
}

/** The path of a new backup, such as `playtest-20260301T120000000Z.db`. `now` is unix ms. */
export function nameBackup(folder: string, location: string, now: number): string {
  const start = join(folder, getBackupPrefix(location));
  return nameWithTime(start, now, isPostgres(location) ? ".ndjson.gz" : ".db");
}

/** A path that does not exist yet: the start, a time (unix ms), if necessary a number, and the end. */
export function nameWithTime(start: string, now: number, end = ""): string {
  const time = new Date(now).toISOString().replaceAll(/[-:.]/g, "");
  for (let number = 1; ; number += 1) {
    const path = `${start}${time}${number === 1 ? "" : `-${number}`}${end}`;
    if (!existsSync(path)) return path;
  }
}

/** The path under which a backup is written and checked. */
export const getDraftPath = (path: string): string => path + DRAFT_SUFFIX;

/** What follows the prefix in the names of backups. The backups of studio-eu also begin with the prefix of studio. */
const TIME = /^\d{8}T\d{9}Z/;

/** Removes what killed backups of the database have left: drafts, and manifests without a backup. */
export async function removeUnfinished(folder: string, location: string): Promise<void> {
  const prefix = getBackupPrefix(location);
  const isOwn = (name: string) => name.startsWith(prefix) && TIME.test(name.slice(prefix.length));
  const names = (await readdir(folder)).filter(isOwn);
  const drafts = SQLITE_SUFFIXES.map((suffix) => DRAFT_SUFFIX + suffix);
  for (const name of names) {
    const path = join(folder, name);
    if (drafts.some((suffix) => name.endsWith(suffix))) await rm(path, { force: true });
    const manifest = name.endsWith(MANIFEST_SUFFIX) ? await readManifest(path) : null;
    if (manifest?.database === location && !names.includes(manifest.backup)) await rm(path, { force: true });
  }
}

/** Gives a checked draft its name. The manifest comes first, so that no backup is ever without one. */
export async function commitBackup(path: string, manifest: BackupManifest): Promise<void> {
  const content = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeFileAtomically(path + MANIFEST_SUFFIX, content, { mode: PRIVATE_MODE });
  await rename(getDraftPath(path), path);
  await syncFolder(dirname(path));
}

/** The checked backups in a folder, newest first. Files whose size has changed since they were checked are left out. */
export async function listBackups(folder: string): Promise<StoredBackup[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(MANIFEST_SUFFIX));
  const manifests = await Promise.all(names.map((name) => readManifest(join(folder, name))));
  return manifests
    .filter((manifest) => manifest !== null)
    .map((manifest) => ({ ...manifest, path: join(folder, manifest.backup) }))
    .filter(({ path, bytes }) => statSync(path, { throwIfNoEntry: false })?.size === bytes)
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
}

/** Removes the oldest backups of a database, so that `keep` of them are left, one of which is `latest`. */
export async function removeOldBackups(latest: string, location: string, keep: number): Promise<string[]> {
  const backups = await listBackups(dirname(latest));
  const others = backups.filter(({ path, database }) => database === location && path !== latest);
  const old = others.slice(keep - 1).map(({ path }) => path);
  for (const path of old) await removeBackup(path);
  return old;
}

/** Removes a backup with its manifest. */
export async function removeBackup(path: string): Promise<void> {
  await removeSqlite(path);
  await rm(path + MANIFEST_SUFFIX, { force: true });
}

/** The manifest of a backup; null if it has none. */
export async function findManifest(path: string): Promise<BackupManifest | null> {
  const manifest = await readManifest(path + MANIFEST_SUFFIX);
  return manifest?.backup === basename(path) ? manifest : null;
}

/** Null for a file that is not a manifest. */
async function readManifest(path: string): Promise<BackupManifest | null> {
  try {
    const manifest = manifestSchema.parse(JSON.parse(await readFile(path, "utf8")));
    return basename(manifest.backup) === manifest.backup ? manifest : null;
  } catch {
    return null;
  }
}

/** The size and SHA-256 of a file. */
export async function hashFile(
  path: string,
  signal: AbortSignal,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path, { signal })) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}
