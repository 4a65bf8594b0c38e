/** What tells this machine and its processes from others that use the same numbers. */
import { readFileSync } from "node:fs";
import { hostname, uptime } from "node:os";

export interface Machine {
  readonly host: string;
  /** Another after each start of the system; null where the system tells none. */
  readonly boot: string | null;
  /** Unix ms. */
  readonly bootedAt: number;
  /** When a process began, as the system counts; null where it does not tell. */
  beginOf(pid: number): string | null;
}

/** The machine it runs on, `now` in unix ms; Linux alone tells more than its name and how long it has been up. */
export function readMachine(now: number): Machine {
  return {
    host: hostname(),
    boot: readTextOrNull("/proc/sys/kernel/random/boot_id")?.trim() ?? null,
    bootedAt: now - uptime() * 1000,
    beginOf: (pid) => parseProcessStart(readTextOrNull(`/proc/${pid}/stat`) ?? ""),
  };
}

/** Field 22 of proc_pid_stat(5); the name of the program, field 2, may hold blanks and brackets. */
function parseProcessStart(stat: string): string | null {
  return (
    stat
      .slice(stat.lastIndexOf(")") + 1)
      .trim()
      .split(" ")[19] ?? null
  );
}

function readTextOrNull(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
