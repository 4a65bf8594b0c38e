/** A lock file: one run at a time, and none that outlives its process. */
import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { fail } from "../contract/errors.ts";
import { makeFolderOf } from "./files/paths.ts";

/** The process that asks, and how it tells whether another is there. */
export interface Holder {
  readonly pid: number;
  /** Unix ms. */
  readonly startedAt: number;
  isAlive(pid: number): boolean;
}

/** Takes the lock and answers how to give it back. Throws `locked` where another run holds it. */
export async function takeLock(path: string, holder: Holder): Promise<() => Promise<void>> {
  const { pid, startedAt } = holder;
  const own = JSON.stringify({ pid, startedAt, token: randomUUID() });
  await makeFolderOf(path);
  for (;;) {
    if (await place(path, own, pid)) {
      return async () => {
        if ((await textOf(path)) === own) await rm(path, { force: true });
      };
    }
    const found = await textOf(path);
    if (found !== null) await removeStale(path, found, holder);
  }
}

/** Puts a lock in its place with all its text at once; false where there is one. */
async function place(path: string, text: string, pid: number): Promise<boolean> {
  const made = `${path}.${pid}.new`;
  try {
    await writeFile(made, text);
    await link(made, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(made, { force: true });
  }
}

/** Removes the lock of a process that is gone. Throws `locked` where it may be at work. */
async function removeStale(path: string, found: string, holder: Holder): Promise<void> {
  const other = pidIn(found);
  // A number of its own means a process before it: in a container every run may have the same.
  if (other !== null && other !== holder.pid && holder.isAlive(other)) {
    throw fail("locked", {
      message: `Another export is at work (process ${other} holds ${path})`,
      hint: "Wait for it to end, and run the command again.",
    });
  }
  // Two may find the same lock stale: only the one that still moves what it read away goes on.
  const aside = `${path}.${holder.pid}.stale`;
  await rename(path, aside).catch(() => {});
  const moved = await textOf(aside);
  await rm(aside, { force: true });
  if (moved !== null && moved !== found) await place(path, moved, holder.pid);
}

/** The process of a lock; null for a text that none wrote whole. */
function pidIn(text: string): number | null {
  try {
    const { pid } = JSON.parse(text) as { pid?: unknown };
    return typeof pid === "number" ? pid : null;
  } catch {
    return null;
  }
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
