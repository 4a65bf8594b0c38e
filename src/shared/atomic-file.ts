/** Files that appear complete or not at all: written to a temporary file beside the target, then renamed over it. */
import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Permissions of a file that only its owner may read, such as one with a key in it. */
export const PRIVATE_MODE = 0o600;

export interface AtomicFileOptions {
  /** Permissions of the new file, reduced by the umask (default: 0o666). A file it replaces has no influence on them. */
  readonly mode?: number;
  /** Whether the content survives a power loss (default: true). False is faster, for what can be rebuilt. */
  readonly durable?: boolean;
  /**
   * Path of the temporary file (default: an unpredictable name beside the target). A fixed path lets a later run find
   * what a killed one left; its caller makes sure that no two processes use it at the same time. A leftover file is
   * removed first, never written into: it may be a link to another file.
   */
  readonly temporaryPath?: string;
}

/** A file that is being written beside its target. The target changes in `commit` alone. */
export interface AtomicFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Flushes the content to disk and closes the temporary file, so that only the rename is left. */
  close(): Promise<void>;
  /** Closes the temporary file and renames it to the target. Removes it if that fails. */
  commit(): Promise<void>;
  /** Removes the temporary file; does nothing after `commit`. */
  discard(): Promise<void>;
}

/** Starts writing a file. Throws the system's error. */
export async function openAtomicFile(path: string, options: AtomicFileOptions = {}): Promise<AtomicFile> {
  const { mode = 0o666, durable = true } = options;
  const temporary = options.temporaryPath ?? `${path}.${randomBytes(8).toString("hex")}.tmp`;
  if (options.temporaryPath !== undefined) await rm(temporary, { force: true });
  // "wx" is O_EXCL: it fails if anything is at the path, and never follows a symbolic link.
  const handle = await open(temporary, "wx", mode);
  let finished = false;
  const close = once(() => closeHandle(handle, durable));
  const discard = async () => {
    if (finished) return;
    finished = true;
    await close().catch(() => {});
    await rm(temporary, { force: true });
  };
  return {
    close,
    discard,
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
    },
    async commit() {
      try {
        await close();
        await rename(temporary, path);
        finished = true;
      } catch (error) {
        await discard();
        throw error;
      }
      if (durable) await syncFolder(dirname(path));
    },
  };
}

/** Writes a complete file. Throws the system's error; the file that was there before then stays. */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  options: AtomicFileOptions = {},
): Promise<void> {
  const file = await openAtomicFile(path, options);
  try {
    await file.write(typeof content === "string" ? Buffer.from(content) : content);
    await file.commit();
  } finally {
    await file.discard();
  }
}

/** Runs `work` on the first call; every call returns its outcome. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let outcome: Promise<T> | null = null;
  return () => {
    outcome ??= work();
    return outcome;
  };
}

async function closeHandle(handle: FileHandle, durable: boolean): Promise<void> {
  try {
    if (durable) await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes the rename to disk where the system can sync a folder. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await closeHandle(handle, true);
  } catch {
    // Windows cannot open folders. The content of the file is on disk already.
  }
}
