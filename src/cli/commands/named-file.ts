/** Writes files that the user named: reports, baselines and pictures. */
import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fail } from "../../contract/errors.ts";
import { writeWhole } from "../../export/files/whole-file.ts";
import type { Io } from "../io.ts";

/** Why a file cannot be written, by the system's code. */
const reasons: Readonly<Record<string, string>> = {
  EISDIR: "it is a folder",
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  EEXIST: "part of its path is a file",
  ENOTDIR: "part of its path is a file",
  ENAMETOOLONG: "its name is too long",
};

/** Writes `what` whole, with the folders to it. Answers its path; throws `config` naming the file as it was given. */
export async function writeNamed(
  what: string,
  file: string,
  content: string | Uint8Array,
  { cwd }: Pick<Io, "cwd">,
): Promise<string> {
  const path = resolve(cwd, file);
  const refuse = (code: string | undefined, cause?: unknown) =>
    fail("config", {
      message: `The ${what} ${file} cannot be written: ${reasons[code ?? ""] ?? code ?? "unknown reason"}`,
      hint: "Check the path, its permissions and the free space.",
      cause,
    });
  // Asked before, for what is written first stands beside it: outside of a folder that is named.
  if (/[/\\]$/.test(file) || (await isFolder(path))) throw refuse("EISDIR");
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeWhole(path, content);
  } catch (cause) {
    throw refuse((cause as NodeJS.ErrnoException).code, cause);
  }
  return path;
}

/** Whether there is a folder at a path. */
export async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() ?? false;
}
