/** The registry of servers running on this machine: one file per server, deleted when it stops. */
import { realpathSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_MODE, writeFileAtomically } from "../../../shared/atomic-file.ts";
import { readMachine } from "../../../shared/machine.ts";
import { createPrivateFolder } from "../../../shared/private-folder.ts";
import { fail } from "../../errors.ts";
import type { Io } from "../../io.ts";

export interface ServerEntry {
  readonly pid: number;
  readonly url: string;
  readonly database: string;
  /** Whether `database` is a URL without the password or options that the server was started with. */
  readonly isRedacted?: boolean;
  /** Unix ms. */
  readonly startedAt: number;
  /** The pruning policy, ms; null or absent to keep everything. */
  readonly keepEventsMs?: number | null;
  readonly keepSessionsMs?: number | null;
}

/** An entry as stored, with what identifies the process, because process ids are reused. */
interface StoredEntry extends ServerEntry {
  readonly host?: string;
  readonly boot?: string | null;
  readonly begin?: string | null;
}

function registryFolder(io: Pick<Io, "stateDir">): string {
  return join(io.stateDir, "servers");
}

/** Adds a server. Returns a function that removes it. */
export async function registerServer(
  io: Pick<Io, "stateDir">,
  entry: ServerEntry,
): Promise<() => Promise<void>> {
  const path = join(registryFolder(io), `${entry.pid}.json`);
  createPrivateFolder(registryFolder(io));
  const { host, boot, getProcessStart } = readMachine(entry.startedAt);
  const stored: StoredEntry = { ...entry, host, boot, begin: getProcessStart(entry.pid) };
  await writeFileAtomically(path, JSON.stringify(stored), { mode: PRIVATE_MODE });
  return () => rm(path, { force: true });
}

/** The servers whose process is still running. */
export async function runningServers(io: Pick<Io, "stateDir" | "isAlive">): Promise<ServerEntry[]> {
  const names = await readdir(registryFolder(io)).catch(() => []);
  const entries = await Promise.all(
    names
      .filter((name) => name.endsWith(".json"))
      .map((name) => readEntry(io, join(registryFolder(io), name))),
  );
  return entries.filter((entry) => entry !== null).sort((a, b) => a.startedAt - b.startedAt);
}

async function readEntry(io: Pick<Io, "isAlive">, path: string): Promise<ServerEntry | null> {
  try {
    const stored = JSON.parse(await readFile(path, "utf8")) as StoredEntry;
    const { host: _host, boot: _boot, begin: _begin, ...entry } = stored;
    if (isRunning(io, stored)) return entry;
  } catch {
    return null;
  }
  await rm(path, { force: true });
  return null;
}

/** Whether the server is still running. After a power failure, another process may have its id. */
function isRunning(
  { isAlive }: Pick<Io, "isAlive">,
  { pid, startedAt, host, boot, begin }: StoredEntry,
): boolean {
  if (!isAlive(pid)) return false;
  const machine = readMachine(startedAt);
  // A container cannot see the processes of another container that shares the folder.
  if (host !== machine.host) return true;
  if (boot && machine.boot && boot !== machine.boot) return false;
  const currentStart = machine.getProcessStart(pid);
  return !begin || currentStart === null || begin === currentStart;
}

/** Whether two databases are the same, also if one path goes through a symbolic link. */
export function isSameDatabase(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    return realpathSync(a) === realpathSync(b);
  } catch {
    // At least one of them is not a file.
    return false;
  }
}

/** Throws `locked` if a server on this machine uses the database. */
export async function requireNoServer(io: Pick<Io, "stateDir" | "isAlive">, database: string): Promise<void> {
  const running = (await runningServers(io)).find((server) => isSameDatabase(server.database, database));
  if (!running) return;
  throw fail("locked", {
    message: `${database} is in use by a running server (process ${running.pid})`,
    hint: "Stop the server first.",
  });
}
