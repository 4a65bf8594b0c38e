/** The program: the real streams, clock, environment and signals around the command line. */
import { spawn } from "node:child_process";
import { closeSync, fstatSync, writeSync } from "node:fs";
import { constants, homedir, totalmem, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import type { SignalErrorCode } from "./cli/errors.ts";
import type { Io, OutputStream } from "./cli/io.ts";
import { main } from "./cli/main.ts";
import { handlePendingSignals, sleep } from "./shared/sleep.ts";
import { type StartWorker, WORKER_VARIABLE } from "./shared/start-worker.ts";

/** Whether a descriptor may be a terminal: it is not a file or a pipe. */
function isDevice(descriptor: number): boolean {
  try {
    return process.platform === "win32" || fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}

/** Whether a stream is a terminal. For files and pipes, the descriptor is enough, so the stream is not created. */
function isTerminal(descriptor: number, getStream: () => { isTTY?: boolean }): boolean {
  return isDevice(descriptor) && getStream().isTTY === true;
}

/** Writes to a terminal. */
function createTerminalOutput(stream: NodeJS.WriteStream): OutputStream {
  return {
    isTTY: true,
    columns: stream.columns || undefined,
    get colors() {
      const depth = stream.getColorDepth();
      return depth >= 24 ? 3 : depth >= 8 ? 2 : depth >= 4 ? 1 : 0;
    },
    write: (text) => writeTo(stream, text),
    stream,
  };
}

/** Writes to a file or pipe synchronously. Switches to Node's stream if the pipe is full, and always on Windows. */
function createFileOutput(descriptor: number, getStream: () => NodeJS.WriteStream): OutputStream {
  let streamed = process.platform === "win32";
  return {
    isTTY: false,
    columns: undefined,
    colors: 0,
    async write(text) {
      const bytes = typeof text === "string" ? Buffer.from(text) : text;
      let written = 0;
      while (!streamed && written < bytes.length) {
        try {
          written += writeSync(descriptor, bytes, written);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
          streamed = true;
        }
      }
      if (streamed) await writeTo(getStream(), bytes.subarray(written));
    },
  };
}

function writeTo(stream: NodeJS.WriteStream, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Prevents errors of a stream from ending the process, such as EPIPE when the reader has closed the pipe. The promise of
 * write() reports them to the command.
 */
function ignoreStreamErrors<T extends NodeJS.WriteStream>(stream: T): T {
  return stream.on("error", () => {});
}

function createOutput(descriptor: number, getStream: () => NodeJS.WriteStream): OutputStream {
  return isTerminal(descriptor, getStream)
    ? createTerminalOutput(getStream())
    : createFileOutput(descriptor, getStream);
}

function createStdin(): Io["stdin"] {
  const isTTY = isTerminal(0, () => process.stdin);
  return { isTTY, read: () => process.stdin, ...(isTTY ? { stream: process.stdin } : {}) };
}

/** Creates a value at its first use. Most runs do not need every stream, and each takes time to create. */
function lazy<T>(create: () => T): () => T {
  let created: { readonly value: T } | null = null;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}

/** The user's home. An empty or relative HOME is ignored, because keys would be stored in the working directory. */
function homeFolder(): string {
  const home = homedir();
  return isAbsolute(home) ? home : userInfo().homedir;
}

/** The program's folder for one purpose, by the conventions of the system. */
function resolveAppFolder(
  env: NodeJS.ProcessEnv,
  xdg: string,
  unix: string,
  mac: string,
  windows: string,
): string {
  const home = homeFolder();
  const xdgFolder = env[xdg];
  if (xdgFolder && isAbsolute(xdgFolder)) return join(xdgFolder, "playtest");
  if (process.platform === "darwin") return join(home, "Library", mac, "playtest");
  if (process.platform === "win32") return join(env[windows] ?? join(home, "AppData"), "playtest");
  return join(home, unix, "playtest");
}

/**
 * Signals abort `signal` during interruptible work, and a second one ends the process immediately. Otherwise, there are no
 * handlers: the system ends the process, even if it computes for long and could not run a handler. SIGHUP means that the
 * terminal was closed. (Node resets signals that `nohup` ignores.)
 */
function createInterrupts(): Pick<Io, "signal" | "interruptible"> {
  const controller = new AbortController();
  const { signal } = controller;
  const interrupt = (name: keyof typeof signalErrors) => () => {
    if (signal.aborted) process.exit(128 + constants.signals[name]);
    void import("./cli/errors.ts").then(({ fail }) => controller.abort(fail(signalErrors[name])));
  };
  const handlers = {
    SIGINT: interrupt("SIGINT"),
    SIGTERM: interrupt("SIGTERM"),
    SIGHUP: interrupt("SIGHUP"),
  };
  let running = 0;
  const interruptible = async <T>(work: () => Promise<T>): Promise<T> => {
    running += 1;
    if (running === 1) for (const [name, handler] of Object.entries(handlers)) process.on(name, handler);
    try {
      return await work();
    } finally {
      await handlePendingSignals();
      running -= 1;
      if (running === 0) for (const [name, handler] of Object.entries(handlers)) process.off(name, handler);
    }
  };
  return { signal, interruptible };
}

const signalErrors = {
  SIGINT: "interrupted",
  SIGTERM: "terminated",
  SIGHUP: "hung_up",
} as const satisfies Partial<Record<NodeJS.Signals, SignalErrorCode>>;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The share of the memory of this machine or container that a worker may take. */
const WORKER_SHARE = 1 / 3;

/** Starts this program as a worker. */
const startWorker: StartWorker = async (maxHeapMb) => {
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const heapMb = Math.min(maxHeapMb, Math.floor((memory * WORKER_SHARE) / 2 ** 20));
  const NODE_OPTIONS = `${env.NODE_OPTIONS ?? ""} --max-old-space-size=${heapMb}`.trim();
  return spawn(process.execPath, io.self.slice(1), {
    env: { ...env, NODE_OPTIONS, [WORKER_VARIABLE]: "1" },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
    windowsHide: true,
  });
};

/** Suppresses the warning of Node 22 and 24 that node:sqlite is experimental, which users can do nothing about. */
function suppressSqliteWarning(emitWarning: typeof process.emitWarning): typeof process.emitWarning {
  return (warning: string | Error, ...rest: never[]) => {
    if (!/^SQLite is an experimental feature\b/.test(String(warning))) emitWarning(warning, ...rest);
  };
}

process.emitWarning = suppressSqliteWarning(process.emitWarning);

const { env } = process;
const stdout = lazy(() =>
  createOutput(
    1,
    lazy(() => ignoreStreamErrors(process.stdout)),
  ),
);
const stderr = lazy(() =>
  createOutput(
    2,
    lazy(() => ignoreStreamErrors(process.stderr)),
  ),
);
const stdin = lazy(createStdin);

const interrupts = createInterrupts();

const io: Io = {
  get out() {
    return stdout();
  },
  get err() {
    return stderr();
  },
  get stdin() {
    return stdin();
  },
  env,
  cwd: process.cwd(),
  get home() {
    return homeFolder();
  },
  configDir: resolveAppFolder(env, "XDG_CONFIG_HOME", ".config", "Preferences", "APPDATA"),
  stateDir: resolveAppFolder(
    env,
    "XDG_STATE_HOME",
    join(".local", "state"),
    "Application Support",
    "LOCALAPPDATA",
  ),
  // A single executable needs no script.
  self:
    import.meta.filename === process.execPath
      ? [process.execPath]
      : [process.execPath, process.argv[1] ?? ""],
  platform: { node: process.version, os: process.platform, arch: process.arch },
  pid: process.pid,
  isAlive,
  now: () => Date.now(),
  monotonicNow: () => performance.now(),
  sleep: (ms, signal) => interrupts.interruptible(() => sleep(ms, signal)),
  random: () => Math.random(),
  ...interrupts,
  // Only the built program has a start for workers.
  ...(import.meta.filename.endsWith(".ts") ? {} : { startWorker }),
};

/**
 * Closes the terminal if stdout is a pipe. When Node exits, it restores the initial settings of every open terminal,
 * which would overwrite the settings of a pager that is still reading the pipe.
 */
function releaseTerminal(): void {
  if (isDevice(1)) return;
  for (const descriptor of [0, 2].filter(isDevice)) closeSync(descriptor);
}

/** Exits immediately. All output is written, and an orderly shutdown would only take time. */
function exitWith(code: number): void {
  process.exitCode = code;
  process.on("exit", releaseTerminal);
  // On other systems, writes to stderr may still be pending.
  if (process.platform === "linux" || process.platform === "darwin") process.exit();
}

main(process.argv.slice(2), io).then(exitWith, (error: unknown) => {
  process.stderr.write(`error: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
