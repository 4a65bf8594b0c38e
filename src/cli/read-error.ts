/** Why a file cannot be read, in words instead of the codes of the operating system. */

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "file not found",
  EISDIR: "it is a folder",
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  ENOTDIR: "part of its path is a file",
  ENAMETOOLONG: "its name is too long",
};

/** Explains an error of the file system. Follows "Cannot read <file>:". */
export function explainReadError(error: unknown): string {
  const { code = "", message = String(error) } = (error ?? {}) as NodeJS.ErrnoException;
  return reasons[code] ?? message;
}
