/** Drafts of exported files. Their names are fixed, so that the next run finds and replaces what a killed one left. */
import { type AtomicFile, openAtomicFile } from "../../shared/atomic-file.ts";
import { pathBlockedError, readPathKind } from "./paths.ts";

/** What is appended to a file's path to name its draft. */
export const DRAFT_SUFFIX = ".draft";

/**
 * Opens the draft of a file; the export's lock keeps other runs away from it. Throws `config` if a link or a folder is
 * in its place, otherwise the system's error.
 */
export async function openDraft(path: string): Promise<AtomicFile> {
  const temporaryPath = path + DRAFT_SUFFIX;
  const kind = await readPathKind(temporaryPath);
  if (kind === "link" || kind === "folder") throw pathBlockedError(temporaryPath, kind);
  return await openAtomicFile(path, { temporaryPath });
}

/**
 * Commits a draft and a text that belongs beside it, the text first, once both are on disk. If either cannot be
 * written, neither is moved.
 */
export async function commitWithSidecar(draft: AtomicFile, beside: string, text: string): Promise<void> {
  const second = await openDraft(beside);
  try {
    await second.write(Buffer.from(text));
    await second.close();
    await draft.close();
    await second.commit();
    await draft.commit();
  } catch (error) {
    await second.discard();
    throw error;
  }
}
