/** Writes files that the user named: reports, baselines and pictures. */
import { lstat, mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { openAtomicFile, PRIVATE_MODE, writeFileAtomically } from "../../shared/atomic-file.ts";
import { fail } from "../errors.ts";
import type { Io } from "../io.ts";

/** Why a file cannot be written, by the system's code. */
const reasons: Readonly<Record<string, string>> = {
  EISDIR: "it is a folder",
  special: "it is no ordinary file, and would be replaced by one",
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  EEXIST: "part of its path is a file",
  ENOTDIR: "part of its path is a file",
  ENAMETOOLONG: "its name is too long",
};

/**
 * Writes `what` whole, with the folders to it; a private file and its folders are their owner's alone. Answers its path;
 * throws `config` naming the file as it was given.
 */
export async function writeNamedFile(
  what: string,
  file: string,
  content: string | Uint8Array,
  { cwd }: Pick<Io, "cwd">,
  { isPrivate = false } = {},
): Promise<string> {
  const path = resolve(cwd, file);
  const refuse = createWriteErrorFactory(what, file);
  await requireWritablePath(path, file, refuse);
  try {
    await mkdir(dirname(path), { recursive: true, ...(isPrivate ? { mode: 0o700 } : {}) });
    await writeFileAtomically(path, content, isPrivate ? { mode: PRIVATE_MODE } : {});
  } catch (cause) {
    throw refuse((cause as NodeJS.ErrnoException).code, cause);
  }
  return path;
}

/** Where something secret and large is to be written. */
export interface SecretFile {
  /** What it is, in errors. */
  readonly what: string;
  readonly file: string;
  /** Whether it may replace a file that is there. */
  readonly replace: boolean;
}

/**
 * Writes a file piece by piece, whole or not at all, readable by its owner alone. Answers its path and what `fill`
 * answered; throws `config` as `writeNamedFile` does and where a file is there that must stay, else what `fill` throws.
 */
export async function writeSecretFile<T>(
  { what, file, replace }: SecretFile,
  { cwd }: Pick<Io, "cwd">,
  fill: (write: (bytes: Uint8Array) => Promise<void>) => Promise<T>,
): Promise<{ readonly path: string; readonly filled: T }> {
  const path = resolve(cwd, file);
  const refuse = createWriteErrorFactory(what, file);
  const orRefuse = <V>(done: Promise<V>) =>
    done.catch((cause: NodeJS.ErrnoException) => Promise.reject(refuse(cause.code, cause)));
  const keep = async () => {
    await requireWritablePath(path, file, refuse);
    if (replace || !(await exists(path))) return;
    throw fail("config", {
      message: `The ${what} ${file} is there already`,
      hint: "Name another file, or replace it with --force.",
    });
  };
  await keep();
  await orRefuse(mkdir(dirname(path), { recursive: true }));
  const draft = await orRefuse(openAtomicFile(path, { mode: PRIVATE_MODE }));
  try {
    const filled = await fill((bytes) => orRefuse(draft.write(bytes)));
    await keep();
    await orRefuse(draft.commit());
    return { path, filled };
  } finally {
    await draft.discard();
  }
}

type WriteErrorFactory = (code: string | undefined, cause?: unknown) => Error;

function createWriteErrorFactory(what: string, file: string): WriteErrorFactory {
  return (code, cause) =>
    fail("config", {
      message: `The ${what} ${file} cannot be written: ${reasons[code ?? ""] ?? code ?? "unknown reason"}`,
      hint: "Check the path, its permissions and the free space.",
      cause,
    });
}

/** Asked before, for what is written first stands beside it: outside of a folder that is named. */
async function requireWritablePath(path: string, file: string, refuse: WriteErrorFactory): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (/[/\\]$/.test(file) || found?.isDirectory()) throw refuse("EISDIR");
  if (found !== null && !found.isFile()) throw refuse("special");
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

/** Whether there is a folder at a path. */
export async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() ?? false;
}
