/** Injects delays and errors into the disk access of a running process, with strace. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "../harness.ts";

/** Whether strace is installed, and may trace other children of the same process. */
export const canTrace = spawnSync("bash", ["-c", "sleep 0.2 & strace -p $! -e trace=none -o /dev/null 2>&1"])
  .stdout.toString()
  .includes("attached");

/** System calls, and what to inject into them, in the syntax of strace's `--inject`. */
export interface Fault {
  readonly calls: string;
  readonly inject: string;
  /** Only inject into calls for this file (default: all files). */
  readonly file?: string;
}

/** Calls that flush commits to the disk. */
export const SYNCS = "fsync,fdatasync";
/** Calls that write to a file. */
export const WRITES = "pwrite64";

export interface InjectedFault {
  /** Stops the injection, and returns the number of affected calls. */
  remove(): Promise<number>;
}

/** Injects a fault into a process. Resolves once all of its threads are traced. */
export async function injectFault(
  pid: number | undefined,
  { calls, inject, file }: Fault,
): Promise<InjectedFault> {
  const log = join(freshFolder(), "calls");
  const fileArgs = file === undefined ? [] : ["-P", file];
  const args = [
    "-f",
    "-p",
    String(pid),
    "-o",
    log,
    "-e",
    `trace=${calls}`,
    "-e",
    `inject=${calls}:${inject}`,
  ];
  const child = spawn("strace", [...args, ...fileArgs], { stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(child, "exit");
  let stderr = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
      if (stderr.includes("attached")) resolve();
    });
    child.once("exit", () => reject(new Error(`strace ended: ${stderr}`)));
  });
  return {
    async remove() {
      child.kill("SIGINT");
      await exited;
      return readFileSync(log, "utf8").match(/\((INJECTED|DELAYED)\)/g)?.length ?? 0;
    },
  };
}
