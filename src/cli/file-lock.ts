/** Lock files of commands that must not run twice at the same time. */
import { acquireLock, type LockHolder } from "../export/lock.ts";
import { readMachine } from "../shared/machine.ts";
import type { Io } from "./io.ts";

type LockIo = Pick<Io, "pid" | "now" | "isAlive">;

/** This process as the holder of a lock. */
export function createLockHolder(io: LockIo): LockHolder {
  const startedAt = io.now();
  return {
    pid: io.pid,
    startedAt,
    machine: readMachine(startedAt),
    isAlive: (pid: number) => io.isAlive(pid),
  };
}

/** Runs `use` while holding a lock file. `work` names it in the error. Throws `locked` if another process holds the lock. */
export async function withFileLock<T>(
  io: LockIo,
  { path, work }: { readonly path: string; readonly work: string },
  use: () => Promise<T>,
): Promise<T> {
  const release = await acquireLock(path, { ...createLockHolder(io), work, renewalTime: () => io.now() });
  try {
    return await use();
  } finally {
    await release();
  }
}
