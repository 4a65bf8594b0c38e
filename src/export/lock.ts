/** A lock file: one run at a time, and none that outlives its process. */
import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { openAtomicFile } from "../shared/atomic-file.ts";
import { ExportError } from "./errors.ts";
import { createParentFolder, listFolder } from "./files/paths.ts";
import type { Machine } from "./machine.ts";

/** The process that asks, and how it tells whether another is there. */
export interface LockHolder {
  readonly pid: number;
  /** Unix ms. */
  readonly startedAt: number;
  readonly machine: Machine;
  isAlive(pid: number): boolean;
  /** Puts a file under a second name; absent for the system's own way. */
  readonly link?: (from: string, to: string) => Promise<void>;
}

const lockSchema = z.object({
  pid: z.int(),
  startedAt: z.number().optional(),
  host: z.string().optional(),
  boot: z.string().nullable().optional(),
  begin: z.string().nullable().optional(),
});
type LockContent = z.output<typeof lockSchema>;

/** Takes the lock and answers how to give it back. Throws `locked` where another run holds it. */
export async function acquireLock(path: string, holder: LockHolder): Promise<() => Promise<void>> {
  const { pid, startedAt, machine } = holder;
  const { host, boot } = machine;
  const begin = machine.beginOf(pid);
  const own = JSON.stringify({ pid, startedAt, host, boot, begin, token: randomUUID() });
  await createParentFolder(path);
  for (;;) {
    if (await createLockFile(path, own, holder)) {
      await removeLeftovers(path, holder);
      return async () => {
        if ((await readTextOrNull(path)) === own) await rm(path, { force: true });
      };
    }
    const found = await readTextOrNull(path);
    if (found !== null) await removeStaleLock(path, found, holder);
  }
}

/** Removes what killed processes left on their way to the lock. */
async function removeLeftovers(path: string, { isAlive }: LockHolder): Promise<void> {
  const folder = dirname(path);
  for (const name of await listFolder(folder)) {
    if (!name.startsWith(`${basename(path)}.`)) continue;
    const [, pid] = /\.(\d+)\.(?:new|stale)$/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

/** Puts a lock in its place with all its text at once; false where there is one. */
async function createLockFile(
  path: string,
  text: string,
  { pid, link: linked = link }: LockHolder,
): Promise<boolean> {
  // The process id in the name lets others remove the file once this process is gone.
  const made = `${path}.${pid}.new`;
  const file = await openAtomicFile(path, { temporaryPath: made, durable: false });
  try {
    await file.write(Buffer.from(text));
    await file.close();
    return await tryCreate(linked(made, path), async () => {
      // A file system without hard links: nobody but this process makes the file.
      return await tryCreate(writeFile(path, text, { flag: "wx" }));
    });
  } finally {
    await file.discard();
  }
}

/** What the system answers where a file system has no hard links. */
const noHardLinkCodes = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"]);

async function tryCreate(making: Promise<void>, otherwise?: () => Promise<boolean>): Promise<boolean> {
  try {
    await making;
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (otherwise && noHardLinkCodes.has(code)) return await otherwise();
    throw error;
  }
}

/** Removes the lock of a process that is gone. Throws `locked` where it may be at work. */
async function removeStaleLock(path: string, found: string, holder: LockHolder): Promise<void> {
  const other = parseLock(found);
  if (other !== null) throwIfHeld(path, other, holder);
  // Without hard links a lock is empty for a moment.
  if (found === "") {
    await sleep(100);
    if ((await readTextOrNull(path)) !== "") return;
  }
  // Two may find the same lock stale: only the one that still moves what it read away goes on.
  const aside = `${path}.${holder.pid}.stale`;
  await rename(path, aside).catch(() => {});
  const moved = await readTextOrNull(aside);
  await rm(aside, { force: true });
  if (moved !== null && moved !== found) await createLockFile(path, moved, holder);
}

function throwIfHeld(path: string, other: LockContent, holder: LockHolder): void {
  const { pid, host } = other;
  if (host !== undefined && host !== holder.machine.host) {
    throw new ExportError(
      "locked",
      `An export of another machine, ${host} (process ${pid}), holds ${path}`,
      "Wait for it to end. Where that machine or container is gone, remove the file.",
    );
  }
  if (!isHolderRunning(other, holder)) return;
  throw new ExportError(
    "locked",
    `Another export is at work (process ${pid} holds ${path})`,
    "Wait for it to end, and run the command again.",
  );
}

/** Whether the process of a lock of this machine is there still, and not another that came to its number. */
function isHolderRunning(
  { pid, startedAt, boot, begin }: LockContent,
  { pid: own, machine, isAlive }: LockHolder,
): boolean {
  if (boot && machine.boot ? boot !== machine.boot : (startedAt ?? machine.bootedAt) < machine.bootedAt)
    return false;
  if (!isAlive(pid)) return false;
  const now = machine.beginOf(pid);
  // Where the system does not tell when processes began, a number of its own means a process before it.
  return begin && now !== null ? begin === now : pid !== own;
}

/** Null for a text that none wrote whole. */
function parseLock(text: string): LockContent | null {
  try {
    return lockSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

async function readTextOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
