/** Writes files whose names the user chose: reports, baselines, images and archives. */
import { access, constants, lstat, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { openAtomicFile, PRIVATE_MODE, writeFileAtomically } from "../../shared/atomic-file.ts";
import { createFolder } from "../../shared/create-folder.ts";
import { fail } from "../errors.ts";
import { fileErrorReasons } from "../file-errors.ts";
import type { Io } from "../io.ts";

/** Why a file cannot be written, by error code. */
const reasons: Readonly<Record<string, string>> = {
  ...fileErrorReasons,
  special: "it is not a regular file",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  EEXIST: "part of its path is a file",
  ENOENT: "its folder cannot be created",
};

/**
 * Writes a file atomically and creates its folders. `what` describes the file in errors. Only the owner can access a
 * private file and its new folders. Returns the absolute path. Throws `config`.
 */
export async function writeNamedFile(
  what: string,
  file: string,
  content: string | Uint8Array,
  { cwd }: Pick<Io, "cwd">,
  { isPrivate = false } = {},
): Promise<string> {
  const path = resolve(cwd, file);
  const writeError = createWriteErrorFactory(what, file);
  await requireWritablePath(path, file, writeError);
  try {
    createFolder(dirname(path), isPrivate ? 0o700 : undefined);
    await writeFileAtomically(path, content, isPrivate ? { mode: PRIVATE_MODE } : {});
  } catch (cause) {
    throw writeError((cause as NodeJS.ErrnoException).code, cause);
  }
  return path;
}

/** Throws `config` if a file cannot be written, before there is anything to write. Creates nothing. */
export async function checkNamedFile(what: string, file: string, { cwd }: Pick<Io, "cwd">): Promise<void> {
  const path = resolve(cwd, file);
  const writeError = createWriteErrorFactory(what, file);
  await requireWritablePath(path, file, writeError);
  try {
    const folder = await findExistingFolder(dirname(path));
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw writeError((cause as NodeJS.ErrnoException).code, cause);
  }
}

/** The folder, or the nearest one above it that exists. */
async function findExistingFolder(folder: string): Promise<string> {
  const stats = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" && dirname(folder) !== folder) return null;
    throw error;
  });
  if (stats === null) return await findExistingFolder(dirname(folder));
  if (stats.isDirectory()) return folder;
  throw Object.assign(new Error(`${folder} is a file`), { code: "ENOTDIR" });
}

/** A file for secret data, which is written in pieces. */
interface SecretFile {
  /** Describes the file in errors. */
  readonly what: string;
  readonly file: string;
  /** Whether to overwrite an existing file. */
  readonly replace: boolean;
}

/**
 * Writes a file atomically in pieces. Only its owner can read it. Returns the absolute path and the result of `fill`.
 * Throws `config` if the file cannot be written or exists and must not be overwritten, and otherwise what `fill` throws.
 */
export async function writeSecretFile<T>(
  { what, file, replace }: SecretFile,
  { cwd }: Pick<Io, "cwd">,
  fill: (write: (bytes: Uint8Array) => Promise<void>) => Promise<T>,
): Promise<{ readonly path: string; readonly filled: T }> {
  const path = resolve(cwd, file);
  const writeError = createWriteErrorFactory(what, file);
  const withWriteErrors = <V>(work: Promise<V>) =>
    work.catch((cause: NodeJS.ErrnoException) => Promise.reject(writeError(cause.code, cause)));
  const requireWritable = async () => {
    await requireWritablePath(path, file, writeError);
    if (replace || !(await exists(path))) return;
    throw fail("config", {
      message: `The ${what} ${file} already exists`,
      hint: "Choose another file name, or add --force to overwrite the file.",
    });
  };
  await requireWritable();
  try {
    createFolder(dirname(path));
  } catch (cause) {
    throw writeError((cause as NodeJS.ErrnoException).code, cause);
  }
  const draft = await withWriteErrors(openAtomicFile(path, { mode: PRIVATE_MODE }));
  try {
    const filled = await fill((bytes) => withWriteErrors(draft.write(bytes)));
    // Writing can take long; the file may have been created meanwhile.
    await requireWritable();
    await withWriteErrors(draft.commit());
    return { path, filled };
  } finally {
    await draft.discard();
  }
}

type WriteErrorFactory = (code: string | undefined, cause?: unknown) => Error;

function createWriteErrorFactory(what: string, file: string): WriteErrorFactory {
  return (code, cause) =>
    fail("config", {
      message: `Cannot write the ${what} ${file}: ${reasons[code ?? ""] ?? code ?? "unknown reason"}`,
      hint: "Check the path, its permissions and the free disk space.",
      cause,
    });
}

/** Checks the path first, because an atomic write creates its draft next to the file. */
async function requireWritablePath(path: string, file: string, writeError: WriteErrorFactory): Promise<void> {
  const stats = await stat(path).catch(() => null);
  if (/[/\\]$/.test(file) || stats?.isDirectory()) throw writeError("EISDIR");
  if (stats !== null && !stats.isFile()) throw writeError("special");
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

export async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => null);
  return stats?.isDirectory() ?? false;
}
