/** A disk that is slow or fails under a process at work: strace stands between it and the kernel, and lets it go again. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "../harness.ts";

/** Whether this machine has strace, and lets one child of a process trace another. */
export const canTrace = spawnSync("bash", ["-c", "sleep 0.2 & strace -p $! -e trace=none -o /dev/null 2>&1"])
  .stdout.toString()
  .includes("attached");

/** System calls, and what becomes of them, in the words of strace's `--inject`. */
export interface Fault {
  readonly calls: string;
  readonly inject: string;
  /** The only file whose calls it meets; each unless told. */
  readonly file?: string;
}

/** Calls that bring what is committed to the disk. */
export const SYNCS = "fsync,fdatasync";
/** Calls that write a file. */
export const WRITES = "pwrite64";

export interface Failing {
  /** Lets the process go on undisturbed; answers how many calls were met. */
  heal(): Promise<number>;
}

/** Lays a fault on a process; resolves once each of its threads is under it. */
export async function failing(pid: number | undefined, { calls, inject, file }: Fault): Promise<Failing> {
  const log = join(freshFolder(), "calls");
  const of = file === undefined ? [] : ["-P", file];
  const words = [
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
  const child = spawn("strace", [...words, ...of], { stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(child, "exit");
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes("attached")) resolve();
    });
    child.once("exit", () => reject(new Error(`strace ended: ${said}`)));
  });
  return {
    async heal() {
      child.kill("SIGINT");
      await exited;
      return readFileSync(log, "utf8").match(/\((INJECTED|DELAYED)\)/g)?.length ?? 0;
    },
  };
}
