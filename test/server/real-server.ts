/** Starts built servers in separate processes, which tests can kill. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { resolveDatabase } from "../engine.ts";

const root = join(import.meta.dirname, "..", "..");
const built = join(root, "bin", "playtest.js");

export interface RealServer {
  readonly process: ChildProcess;
  readonly url: string;
  readonly ingestKey: string | undefined;
  readonly managementKey: string | undefined;
  /** Everything that the process has written to stderr. */
  stderr(): string;
}

/** Additional flags and environment variables of a server. */
export interface ServeOptions {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The script of another version of the program. */
  readonly program?: string;
}

const running: ChildProcess[] = [];

/** Kills all servers that are still running. */
export async function endAll(): Promise<void> {
  for (const child of running.splice(0)) await end(child, "SIGKILL");
}

/** Ends a process and waits until it is gone. */
export async function end(child: ChildProcess, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}

/** Waits until a process is ready. Throws with what it wrote to stderr if it ends before. */
export async function waitUntilReady(
  child: ChildProcess,
  isReady: () => boolean | Promise<boolean>,
  stderr: () => string,
): Promise<void> {
  while (!(await isReady())) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The process did not start: ${stderr()}`);
    await sleep(20);
  }
}

/** The database file of a folder, which all servers of the folder share. */
export const databaseIn = (folder: string): string => join(folder, "play.db");

/**
 * Starts a server on the database of a folder, with its own folder `name` for settings. Resolves when the server listens,
 * and throws if it does not start.
 */
export async function serve(folder: string, name: string, more: ServeOptions = {}): Promise<RealServer> {
  const ready = join(folder, `${name}.json`);
  const database = await resolveDatabase(databaseIn(folder));
  const required = ["--port", "0", "--database", database, "--create-game", "maze"];
  const flags = [...required, "--limits", "off", "--ready-file", ready, ...(more.flags ?? [])];
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: join(folder, name),
    XDG_STATE_HOME: join(folder, name),
    HOME: folder,
    ...more.env,
  };
  const child = spawn(process.execPath, [more.program ?? built, "server", "start", ...flags], {
    cwd: root,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  running.push(child);
  const chunks: Buffer[] = [];
  child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
  const stderr = () => Buffer.concat(chunks).toString();
  await waitUntilReady(child, () => existsSync(ready), stderr);
  return { process: child, stderr, ...JSON.parse(readFileSync(ready, "utf8")) };
}
