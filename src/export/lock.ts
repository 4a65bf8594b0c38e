/** Lock files: only one run at a time. A lock expires when its process ends. */
import { randomUUID } from "node:crypto";
import { link, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { openAtomicFile } from "../shared/atomic-file.ts";
import type { Machine } from "../shared/machine.ts";
import { tryParseJson } from "../shared/parse-json.ts";
import { ExportError } from "./errors.ts";
import { createParentFolder, listFolder, readTextOrNull } from "./files/paths.ts";

/** The process that acquires a lock, and how it checks whether other processes are running. */
export interface LockHolder {
  readonly pid: number;
  /** Unix ms. */
  readonly startedAt: number;
  readonly machine: Machine;
  isAlive(pid: number): boolean;
  /** What runs while the lock is held, for errors (default: export). */
  readonly work?: string;
  /**
   * The current time, unix ms, if the holder renews the time of its lock file. Then a lock of another machine expires, on
   * which nobody can check whether its process is running.
   */
  readonly renewalTime?: () => number;
  /** Creates a hard link (default: the system's own). */
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

/** How often a holder renews its lock, and after how long another machine takes over a lock that is not renewed, ms. */
const RENEWAL_MS = 60_000;
const EXPIRY_MS = 60 * RENEWAL_MS;

/** Acquires the lock and returns a function that releases it. Throws `locked` if another run holds it. */
export async function acquireLock(path: string, holder: LockHolder): Promise<() => Promise<void>> {
  const { pid, startedAt, machine } = holder;
  const { host, boot } = machine;
  const begin = machine.getProcessStart(pid);
  const content = JSON.stringify({ pid, startedAt, host, boot, begin, token: randomUUID() });
  createParentFolder(path);
  for (;;) {
    if (await createLockFile(path, content, holder)) {
      await removeLeftovers(path, holder);
      const stopRenewal = await renewRegularly(path, holder);
      return async () => {
        stopRenewal();
        if ((await readTextOrNull(path)) === content) await rm(path, { force: true });
      };
    }
    const existing = await readTextOrNull(path);
    if (existing !== null) await removeStaleLock(path, existing, holder);
  }
}

/** Renews the time of the lock file until the returned function is called. */
async function renewRegularly(path: string, { renewalTime }: LockHolder): Promise<() => void> {
  if (!renewalTime) return () => {};
  const renew = async () => {
    const seconds = renewalTime() / 1000;
    // If the lock was removed, there is nothing to renew.
    await utimes(path, seconds, seconds).catch(() => {});
  };
  await renew();
  const timer = setInterval(() => void renew(), RENEWAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Whether the lock of another machine has expired, because its process no longer renews it. */
async function isExpired(path: string, { renewalTime }: LockHolder): Promise<boolean> {
  if (!renewalTime) return false;
  const renewed = await stat(path).catch(() => null);
  return renewed !== null && renewalTime() - renewed.mtimeMs > EXPIRY_MS;
}

/** Removes temporary lock files of killed processes. */
async function removeLeftovers(path: string, { isAlive }: LockHolder): Promise<void> {
  const folder = dirname(path);
  for (const name of await listFolder(folder)) {
    if (!name.startsWith(`${basename(path)}.`)) continue;
    const [, pid] = /\.(\d+)\.(?:new|stale)$/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

/** Creates a lock file with its full content in one step; false if one exists. */
async function createLockFile(
  path: string,
  text: string,
  { pid, link: createLink = link }: LockHolder,
): Promise<boolean> {
  // The process id in the name lets others remove the file once this process is gone.
  const temporaryPath = `${path}.${pid}.new`;
  const file = await openAtomicFile(path, { temporaryPath, durable: false });
  try {
    await file.write(Buffer.from(text));
    await file.close();
    return await tryCreate(createLink(temporaryPath, path), async () => {
      // Without hard links, the exclusive flag lets only one process create the file.
      return await tryCreate(writeFile(path, text, { flag: "wx" }));
    });
  } finally {
    await file.discard();
  }
}

/** Errors of file systems without hard links. */
const noHardLinkCodes = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"]);

/** Whether the creation succeeded; false if the file exists. `fallback` runs if hard links are not supported. */
async function tryCreate(creation: Promise<void>, fallback?: () => Promise<boolean>): Promise<boolean> {
  try {
    await creation;
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (fallback && noHardLinkCodes.has(code)) return await fallback();
    throw error;
  }
}

/** Removes the lock of a process that ended. Throws `locked` if the process may be running. */
async function removeStaleLock(path: string, existing: string, holder: LockHolder): Promise<void> {
  const other = lockSchema.safeParse(tryParseJson(existing)).data ?? null;
  const isForeign = other?.host !== undefined && other.host !== holder.machine.host;
  if (other !== null && !(isForeign && (await isExpired(path, holder)))) throwIfHeld(path, other, holder);
  // Without hard links, a new lock file is empty for a moment.
  if (existing === "") {
    await sleep(100);
    if ((await readTextOrNull(path)) !== "") return;
  }
  // Two processes may find the same stale lock. If this one moved a newer lock, it restores that lock.
  const stalePath = `${path}.${holder.pid}.stale`;
  await rename(path, stalePath).catch(() => {});
  const moved = await readTextOrNull(stalePath);
  await rm(stalePath, { force: true });
  if (moved !== null && moved !== existing) await createLockFile(path, moved, holder);
}

function throwIfHeld(path: string, other: LockContent, holder: LockHolder): void {
  const { pid, host } = other;
  const { work = "export" } = holder;
  if (host !== undefined && host !== holder.machine.host) {
    throw new ExportError(
      "locked",
      `Another ${work} is running on another machine (host ${host}, process ${pid}): it holds the lock ${path}`,
      "Wait for it to finish. If that machine or container no longer exists, delete the lock file." +
        (holder.renewalTime ? " The lock expires an hour after its machine or container has stopped." : ""),
    );
  }
  if (!isHolderRunning(other, holder)) return;
  throw new ExportError(
    "locked",
    `Another ${work} is running (process ${pid}): it holds the lock ${path}`,
    "Wait for it to finish, then run the command again.",
  );
}

/** Whether the process of a lock on this machine is still running, and its id was not reused. */
function isHolderRunning(
  { pid, startedAt, boot, begin }: LockContent,
  { pid: ownPid, machine, isAlive }: LockHolder,
): boolean {
  if (boot && machine.boot ? boot !== machine.boot : (startedAt ?? machine.bootedAt) < machine.bootedAt)
    return false;
  if (!isAlive(pid)) return false;
  const currentStart = machine.getProcessStart(pid);
  // Without process start times, a lock with the id of this process can only be from an earlier process.
  return begin && currentStart !== null ? begin === currentStart : pid !== ownPid;
}
