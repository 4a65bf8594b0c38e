/** Writes files atomically: to a temporary file next to the target, which is then renamed. */
import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { handlePendingSignals } from "./sleep.ts";

/** Permissions of a file that only its owner may read, such as a file with a key. */
export const PRIVATE_MODE = 0o600;

export interface AtomicFileOptions {
  /** Permissions of the new file before the umask (default: 0o666). Those of a replaced file are not kept. */
  readonly mode?: number;
  /** Whether the content survives a power loss (default: true). False is faster, for files that can be rebuilt. */
  readonly durable?: boolean;
  /**
   * Path of the temporary file (default: an unpredictable name next to the target). With a fixed path, a later run can
   * replace the file of a killed run; the caller must ensure that only one process uses the path. An existing file is
   * removed and not overwritten, because it may be a link to another file.
   */
  readonly temporaryPath?: string;
}

/** A file that is being written. The target changes only in `commit`. */
export interface AtomicFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Flushes the content to disk and closes the temporary file. Only the rename remains for `commit`. */
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
  const close = once(() => namePath(closeHandle(handle, durable), path));
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
      for (let offset = 0; offset < bytes.length; ) {
        offset += (await namePath(handle.write(bytes, offset), path)).bytesWritten;
      }
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

/**
 * Writes a file atomically. Throws the system's error; an existing file is then unchanged. Signals are delayed meanwhile, so
 * that they leave no temporary file.
 */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  options: AtomicFileOptions = {},
): Promise<void> {
  await delaySignals(async () => {
    const file = await openAtomicFile(path, options);
    try {
      await file.write(typeof content === "string" ? Buffer.from(content) : content);
      await file.commit();
    } finally {
      await file.discard();
    }
  });
}

/** Runs `work` on the first call; every call returns the same promise. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null;
  return () => {
    result ??= work();
    return result;
  };
}

/** Adds the path to errors of a file handle, which name none. */
async function namePath<T>(work: Promise<T>, path: string): Promise<T> {
  return await work.catch((error: unknown) => {
    if (error instanceof Error && !("path" in error)) Object.assign(error, { path });
    throw error;
  });
}

async function closeHandle(handle: FileHandle, durable: boolean): Promise<void> {
  try {
    if (durable) await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes renames in a folder to disk, if the system can sync folders. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await closeHandle(handle, true);
  } catch {
    // Windows cannot open folders. The content of the file is already on disk.
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs work to its end even if a signal arrives meanwhile. The signal then ends the process, unless it has other handlers. */
async function delaySignals<T>(work: () => Promise<T>): Promise<T> {
  const received = new Set<NodeJS.Signals>();
  const note = (name: NodeJS.Signals) => received.add(name);
  for (const name of SIGNALS) process.on(name, note);
  try {
    return await work();
  } finally {
    await handlePendingSignals();
    for (const name of SIGNALS) process.off(name, note);
    for (const name of received) if (process.listenerCount(name) === 0) process.kill(process.pid, name);
  }
}
