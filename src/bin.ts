/** The program: the real streams, clock, environment and signals around the command line. */
import { homedir } from "node:os";
import { join } from "node:path";
import { main } from "./cli/main.ts";
import type { Io, Sink } from "./cli/io.ts";

function sinkOf(stream: NodeJS.WriteStream): Sink {
  return {
    isTTY: stream.isTTY === true,
    columns: stream.columns,
    get colors() {
      const depth = stream.isTTY ? stream.getColorDepth() : 1;
      return depth >= 24 ? 3 : depth >= 8 ? 2 : depth >= 4 ? 1 : 0;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    ...(stream.isTTY ? { stream } : {}),
  };
}

/** The folder of one purpose, by the conventions of the system. */
function folderOf(env: NodeJS.ProcessEnv, xdg: string, unix: string, mac: string, windows: string): string {
  const home = homedir();
  const given = env[xdg];
  if (given) return join(given, "playtest");
  if (process.platform === "darwin") return join(home, "Library", mac, "playtest");
  if (process.platform === "win32") return join(env[windows] ?? join(home, "AppData"), "playtest");
  return join(home, unix, "playtest");
}

/** Aborts on the first Ctrl-C or request to terminate; the second ends the process at once. */
function signals(): AbortSignal {
  const controller = new AbortController();
  const on = (signal: "SIGINT" | "SIGTERM", code: "interrupted" | "terminated", exit: number) => {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(exit);
      void import("./contract/errors.ts").then(({ fail }) => controller.abort(fail(code)));
    });
  };
  on("SIGINT", "interrupted", 130);
  on("SIGTERM", "terminated", 143);
  return controller.signal;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

const { env } = process;
const io: Io = {
  out: sinkOf(process.stdout),
  err: sinkOf(process.stderr),
  stdin: {
    isTTY: process.stdin.isTTY === true,
    read: () => process.stdin,
    ...(process.stdin.isTTY ? { stream: process.stdin } : {}),
  },
  env,
  cwd: process.cwd(),
  configDir: folderOf(env, "XDG_CONFIG_HOME", ".config", "Preferences", "APPDATA"),
  stateDir: folderOf(env, "XDG_STATE_HOME", join(".local", "state"), "Application Support", "LOCALAPPDATA"),
  self: [process.execPath, process.argv[1] ?? ""],
  pid: process.pid,
  isAlive,
  now: () => Date.now(),
  sleep,
  random: () => Math.random(),
  signal: signals(),
};

// A reader that has gone away is no error: write() tells the command, and nothing else may.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

main(process.argv.slice(2), io).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`error: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  },
);
