/** Refreshes stale names in a detached background process: an ordinary list command whose output is discarded. */
import { spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { PRIVATE_MODE } from "../../shared/atomic-file.ts";
import { createPrivateFolder } from "../../shared/private-folder.ts";
import { readRegularFile } from "../../shared/regular-file.ts";
import type { Io } from "../io.ts";
import type { NameKind } from "./names.ts";
import { completionFolder } from "./names.ts";

/** The commands whose responses contain the names of a kind. */
const listCommands: Readonly<Record<NameKind, readonly string[]>> = {
  games: ["games", "list"],
  sessions: ["sessions", "list", "--limit", "100"],
  builds: ["sessions", "list", "--limit", "100"],
  batches: ["batches", "list"],
  experiments: ["experiments", "list"],
};

/** The minimum time between refreshes in ms, so that a service that is down is not called on every key press. */
const REFRESH_INTERVAL_MS = 60_000;
const LOCK_PREFIX = "refresh-";

interface RefreshTarget {
  readonly kind: NameKind;
  readonly profile: string;
  readonly baseUrl: string;
  readonly game: string | null;
}

/** Starts a refresh, unless one is running or was started recently. Never throws. */
export function startRefresh({ kind, profile, baseUrl, game }: RefreshTarget, io: Io): void {
  if (game === null && (kind === "batches" || kind === "experiments")) return;
  try {
    const lock = takeLock(io);
    if (lock === null) return;
    const [command = "", ...self] = io.self;
    const flags = [
      `--profile=${profile}`,
      `--base-url=${baseUrl}`,
      ...(game === null ? [] : [`--game=${game}`]),
      "--timeout=10s",
      "--max-wait=0",
    ];
    const child = spawn(command, [...self, ...listCommands[kind], ...flags], {
      cwd: io.stateDir,
      env: { ...io.env, PLAYTEST_NO_COMPLETION_REFRESH: "1" },
      detached: true,
      stdio: "ignore",
      windowsHide: true,
    });
    child.on("error", () => {});
    child.unref();
    writeSync(lock, String(child.pid ?? ""));
    closeSync(lock);
  } catch {}
}

/**
 * Takes the lock of the current minute: a file that only one process can create. Returns the open file, or null if another
 * process has it or an earlier refresh is still running.
 */
function takeLock(io: Io): number | null {
  const folder = completionFolder(io.stateDir);
  createPrivateFolder(folder);
  const existing = readdirSync(folder).filter((name) => name.startsWith(LOCK_PREFIX));
  const lock = LOCK_PREFIX + Math.floor(io.now() / REFRESH_INTERVAL_MS);
  for (const name of existing) {
    if (name === lock || isLockAlive(join(folder, name), io)) return null;
  }
  const file = openSync(join(folder, lock), "wx", PRIVATE_MODE);
  for (const name of existing) rmSync(join(folder, name), { force: true });
  return file;
}

/** Whether the process whose id is in a lock is still running. */
function isLockAlive(path: string, io: Io): boolean {
  const pid = Number(readRegularFile(path));
  return pid > 0 && io.isAlive(pid);
}
