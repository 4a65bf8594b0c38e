/** Why a file cannot be read or written, in words instead of the codes of the operating system. */
import { fail } from "./errors.ts";

/** The reasons that reading and writing share, by error code. */
export const fileErrorReasons: Readonly<Record<string, string>> = {
  EISDIR: "it is a folder",
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  ENOTDIR: "part of its path is a file",
  ENAMETOOLONG: "its name is too long",
};

const readReasons: Readonly<Record<string, string>> = { ...fileErrorReasons, ENOENT: "file not found" };

/** Explains an error of the file system. Follows "Cannot read <file>:". */
export function explainReadError(error: unknown): string {
  const { code = "", message = String(error) } = (error ?? {}) as NodeJS.ErrnoException;
  return readReasons[code] ?? message;
}

export const failToRead = (what: string, hint: string, cause: unknown) =>
  fail("config", { message: `Cannot read ${what}: ${explainReadError(cause)}`, hint, cause });
