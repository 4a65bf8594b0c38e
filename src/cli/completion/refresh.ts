/** Reads stale names again, in a process of its own that nobody waits for: an ordinary list command, its output dropped. */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Io } from "../io.ts";
import { completionFolder } from "./cache-file.ts";
import type { NameKind } from "./names.ts";

/** The commands whose answers hold the names of a kind. */
const listCommands: Readonly<Record<NameKind, readonly string[]>> = {
  games: ["games", "list"],
  sessions: ["sessions", "list", "--limit", "100"],
  builds: ["sessions", "list", "--limit", "100"],
  batches: ["batches", "list"],
  experiments: ["experiments", "list"],
};

/** No more than one is started in this time, ms: a service that is down is not asked at every key. */
const REFRESH_INTERVAL_MS = 60_000;
const LOCK_PREFIX = "refresh-";

export interface RefreshTarget {
  readonly kind: NameKind;
  readonly profile: string;
  readonly baseUrl: string;
  readonly game: string | null;
}

/** Starts it unless one runs or was started lately. Never throws. */
export function startRefresh({ kind, profile, baseUrl, game }: RefreshTarget, io: Io): void {
  if (game === null && (kind === "batches" || kind === "experiments")) return;
  try {
    const lock = takeLock(io);
    if (lock === null) return;
    const [command = "", ...self] = io.self;
    const asked = game === null ? [] : [`--game=${game}`];
    const flags = [
      `--profile=${profile}`,
      `--base-url=${baseUrl}`,
      ...asked,
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
    writeFileSync(lock, String(child.pid ?? ""));
  } catch {}
}

/**
 * The lock of this minute, a file that only one process can make; null where another has it, or where what an earlier
 * one started still runs.
 */
function takeLock(io: Io): string | null {
  const folder = completionFolder(io.stateDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const earlier = readdirSync(folder).filter((name) => name.startsWith(LOCK_PREFIX));
  const own = LOCK_PREFIX + Math.floor(io.now() / REFRESH_INTERVAL_MS);
  for (const name of earlier) {
    if (name === own || isLockAlive(join(folder, name), io)) return null;
  }
  writeFileSync(join(folder, own), "", { flag: "wx", mode: 0o600 });
  for (const name of earlier) rmSync(join(folder, name), { force: true });
  return join(folder, own);
}

/** Whether the process that a lock names is alive. */
function isLockAlive(path: string, io: Io): boolean {
  const pid = Number(readFileSync(path, "utf8"));
  return pid > 0 && io.isAlive(pid);
}
