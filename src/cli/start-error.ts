/** The error for a program that the user named and that cannot be started. */
import { type CliError, fail } from "./errors.ts";

export function createStartError(name: string, cause: NodeJS.ErrnoException): CliError {
  const reason = cause.code === "ENOENT" ? "program not found" : cause.message;
  return fail("usage", {
    message: `Cannot run ${name}: ${reason}`,
    hint:
      cause.code === "EACCES"
        ? `Make the file executable: chmod +x ${name}`
        : "Check the command name and PATH.",
    cause,
  });
}
