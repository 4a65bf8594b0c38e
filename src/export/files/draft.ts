/** Drafts of exported files. Their names are fixed, so that the next run replaces a draft of a killed run. */
import { type AtomicFile, openAtomicFile } from "../../shared/atomic-file.ts";
import { pathBlockedError, readPathKind } from "./paths.ts";

/** What is appended to a file's path to name its draft, unless the draft is elsewhere. */
export const DRAFT_SUFFIX = ".draft";

/**
 * Opens the draft of a file. The lock of the export protects it from other runs. Throws `path_blocked` if a link or a
 * folder has its path, otherwise the system's error.
 */
export async function openDraft(path: string, temporaryPath = path + DRAFT_SUFFIX): Promise<AtomicFile> {
  const kind = await readPathKind(temporaryPath);
  if (kind === "link" || kind === "folder") throw pathBlockedError(temporaryPath, kind);
  return await openAtomicFile(path, { temporaryPath });
}

/** Writes a sidecar file, then commits it and the draft. If either cannot be written, neither is committed. */
export async function commitWithSidecar(draft: AtomicFile, sidecarPath: string, text: string): Promise<void> {
  const sidecar = await openDraft(sidecarPath);
  try {
    await sidecar.write(Buffer.from(text));
    await sidecar.close();
    await draft.close();
    await sidecar.commit();
    await draft.commit();
  } catch (error) {
    await sidecar.discard();
    throw error;
  }
}
