/** Identifies this machine and its processes, because process ids are reused. */
import { readFileSync } from "node:fs";
import { hostname, uptime } from "node:os";

export interface Machine {
  readonly host: string;
  /** Changes with each boot; null if the system does not provide it. */
  readonly boot: string | null;
  /** Unix ms. */
  readonly bootedAt: number;
  /** An opaque start time of a process; null if the system does not provide it. */
  getProcessStart(pid: number): string | null;
}

/** Reads the current machine; `now` is unix ms. Only Linux provides boot ids and process start times. */
export function readMachine(now: number): Machine {
  return {
    host: hostname(),
    boot: readTextOrNull("/proc/sys/kernel/random/boot_id")?.trim() ?? null,
    bootedAt: now - uptime() * 1000,
    getProcessStart: (pid) => parseProcessStart(readTextOrNull(`/proc/${pid}/stat`) ?? ""),
  };
}

/** Field 22 of proc_pid_stat(5). Field 2, the program name, may contain spaces and parentheses. */
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
