/** Runs a game once: starts its command, ends the whole process tree, and keeps the end of its output. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Io } from "../../io.ts";
import { createStartError } from "../../start-error.ts";

export interface GameRun {
  readonly code: number | null;
  /** The signal that ended the game; null if it exited by itself. */
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  /** In ms. */
  readonly duration: number;
  /** The end of what the game printed. */
  readonly output: string;
}

/** How much of the output is kept, in bytes. */
const MAX_OUTPUT_BYTES = 64 * 1024;
/** How long processes may take to end after SIGTERM, and output to arrive after the end, ms. */
const GRACE_MS = 2000;
const OUTPUT_WAIT_MS = 1000;
/** The largest delay of a timer, ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Throws `usage` if the command cannot be started, and the reason of an interruption after the processes have ended. */
export async function runGame(
  io: Io,
  [name = "", ...args]: readonly string[],
  { env, timeoutMs }: { readonly env: NodeJS.ProcessEnv; readonly timeoutMs: number },
): Promise<GameRun> {
  const startedAt = performance.now();
  // A process group of its own can be ended as a whole.
  const child = spawn(name, args, {
    ...{ cwd: io.cwd, env, stdio: ["ignore", "pipe", "pipe"] as const },
    ...{ detached: process.platform !== "win32", windowsHide: true },
  });
  const readOutput = keepOutput(child);
  const exited = once(child, "exit").then(
    ([code, signal]) => ({ code, signal }) as Pick<GameRun, "code" | "signal">,
    (cause) => {
      throw createStartError(name, cause);
    },
  );
  return await io.interruptible(async () => {
    const ended = await waitFor(exited, timeoutMs, io.signal);
    const duration = performance.now() - startedAt;
    // Processes that the game left would disturb the next run.
    await endTree(child, ended === null);
    const { code, signal } = ended ?? (await exited);
    const output = await readOutput();
    io.signal.throwIfAborted();
    return { code, signal, timedOut: ended === null, duration, output };
  });
}

/** The result of work, or null if it takes longer, or the signal is aborted first. */
async function waitFor<T>(work: Promise<T>, timeoutMs: number, signal: AbortSignal): Promise<T | null> {
  const stop = new AbortController();
  const timer = sleep(Math.min(timeoutMs, MAX_TIMER_MS), null, {
    signal: AbortSignal.any([signal, stop.signal]),
  }).catch(() => null);
  try {
    return await Promise.race([work, timer]);
  } finally {
    stop.abort();
  }
}

/** Keeps the end of what a process prints. The returned function waits until everything has arrived. */
function keepOutput(child: ChildProcess): () => Promise<string> {
  let chunks: Buffer[] = [];
  let size = 0;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= 2 * MAX_OUTPUT_BYTES) return;
      chunks = [Buffer.concat(chunks).subarray(-MAX_OUTPUT_BYTES)];
      size = MAX_OUTPUT_BYTES;
    });
  }
  const closed = once(child, "close").catch(() => null);
  return async () => {
    await waitFor(closed, OUTPUT_WAIT_MS, new AbortController().signal);
    // A process that left the tree may keep them open.
    child.stdout?.destroy();
    child.stderr?.destroy();
    return Buffer.concat(chunks).subarray(-MAX_OUTPUT_BYTES).toString();
  };
}

/** Ends a process and its descendants: with SIGTERM and, if that is not enough, SIGKILL. */
async function endTree({ pid }: ChildProcess, isRunning: boolean): Promise<void> {
  if (pid === undefined) return;
  if (process.platform === "win32") {
    if (isRunning) await promisify(execFile)("taskkill", ["/pid", `${pid}`, "/T", "/F"]).catch(() => {});
    return;
  }
  const targets = [-pid, ...(isRunning ? await listDescendants(pid) : [])];
  const signal = (name: NodeJS.Signals | 0) => targets.filter((target) => kill(target, name)).length > 0;
  signal("SIGTERM");
  const deadline = performance.now() + GRACE_MS;
  while (signal(0) && performance.now() < deadline) await sleep(20);
  signal("SIGKILL");
}

/** Whether there was a process, or a group of them, to send a signal to. */
function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** The descendants of a process, also those in other groups. Without `ps`, only those of its own group are ended. */
async function listDescendants(root: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid="]).catch(() => ({
    stdout: "",
  }));
  const found = new Set([root]);
  const pairs = stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const [pid = 0, parent = 0] of pairs) if (found.has(parent) && pid > 0) found.add(pid);
  }
  return [...found].filter((pid) => pid !== root);
}
