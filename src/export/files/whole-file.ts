/** Files that appear whole or not at all. */
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { inTheWay, kindOf } from "./paths.ts";

/** A file that is being written beside its place. */
export interface Draft {
  write(bytes: Uint8Array): Promise<void>;
  /** Brings it to the disk; after that only the move is left. */
  seal(): Promise<void>;
  /** Seals it and moves it to its place. */
  commit(): Promise<void>;
  /** Removes it; what was in its place stays. */
  discard(): Promise<void>;
}

/**
 * Opens a draft, so that a reader, a kill or a full disk never leaves half of a file and the one before stays until
 * then. What a killed run left in its place is removed, never written into: it may be a second name of another file.
 * Throws `config` where a link or a folder is in the draft's place, else the system's error.
 */
export async function openDraft(path: string, draft: string, mode = 0o666): Promise<Draft> {
  const kind = await kindOf(draft);
  if (kind === "link" || kind === "folder") throw inTheWay(draft, kind);
  if (kind === "file") await rm(draft);
  const file = await open(draft, "wx", mode);
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await file.close();
  };
  const discard = async () => {
    await close().catch(() => {});
    await rm(draft, { force: true });
  };
  const seal = async () => {
    if (closed) return;
    await file.sync();
    await close();
  };
  return {
    seal,
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
    },
    async commit() {
      try {
        await seal();
        await rename(draft, path);
      } catch (error) {
        await discard();
        throw error;
      }
      await syncFolder(dirname(path));
    },
    discard,
  };
}

/**
 * Moves a draft to its place and a text that belongs to it beside it, once both are on the disk: the text first. Where
 * either cannot be written, neither is moved.
 */
export async function commitWith(draft: Draft, beside: string, text: string): Promise<void> {
  const second = await openDraft(beside, `${beside}.draft`);
  try {
    await second.write(Buffer.from(text));
    await second.seal();
    await draft.seal();
    await second.commit();
    await draft.commit();
  } catch (error) {
    await second.discard();
    throw error;
  }
}

/** Writes a file whole. Throws the system's error. */
export async function writeWhole(path: string, content: string | Uint8Array, mode = 0o666): Promise<void> {
  const draft = await openDraft(path, `${path}.${process.pid}.tmp`, mode);
  try {
    await draft.write(typeof content === "string" ? Buffer.from(content) : content);
    await draft.commit();
  } catch (error) {
    await draft.discard();
    throw error;
  }
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
