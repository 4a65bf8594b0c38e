/** Files that appear whole or not at all. */
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Writes a file beside its place, brings it to the disk and moves it there, so that a reader, a kill or a full disk never
 * leaves half of it and the one before stays until then. Throws the system's error.
 */
export async function writeWhole(path: string, content: string | Uint8Array, mode = 0o666): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(draft, "w", mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Brings the move to the disk where the system lets a folder be synced. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // Windows opens no folders; the file itself is on the disk already.
  }
}
