/** Reads settings and cached names. A pipe, a device or a huge file would block the program, or fill its memory. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** The maximum size of a file, bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Opening a named pipe waits for its writer without this flag. Windows does not have it. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Reads a file as text. Throws the system's error, or an error if it is not a regular file or has more than 4 MiB. */
export function readRegularFile(path: string): string {
  const descriptor = openSync(path, OPEN_FLAGS);
  try {
    const stats = fstatSync(descriptor);
    // Reading a folder throws EISDIR.
    if (!stats.isFile() && !stats.isDirectory()) throw new Error("it is not a regular file");
    if (stats.size > MAX_BYTES) throw new Error("it is larger than 4 MiB");
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}
