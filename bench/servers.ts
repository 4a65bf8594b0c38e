/** Starts the servers of the benches, each in a process of its own. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A server at work. */
export interface BenchServer {
  readonly url: string;
  /** The service's keys; empty for a floor. */
  readonly managementKey: string;
  readonly ingestKey: string;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, "..");
export const program = join(root, "bin", "playtest.js");

/** The environment of what is measured: certificates of its own cost Node as much as its whole start. */
export function plainEnv(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...env } = process.env;
  return { ...env, ...more };
}

/** A folder that is gone when the work is done. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The service as built, on a database; without rate limits, unless flags are given. Its settings stay in the folder. */
export async function startService(
  folder: string,
  database: string,
  game: string,
  ...flags: string[]
): Promise<BenchServer> {
  const args = [
    "server",
    "start",
    "--port",
    "0",
    "--database",
    database,
    ...(flags.length > 0 ? flags : ["--limits", "off"]),
    "--new-keys",
    "--json",
  ];
  const env = plainEnv({ XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder });
  return await start([program, ...args, "--create-game", game], env, "");
}

/** The service as built, on a database that is filled and has its keys. */
export async function startFilled(folder: string, database: string): Promise<BenchServer> {
  const args = ["server", "start", "--port", "0", "--database", database, "--limits", "off", "--json"];
  return await start([program, ...args], plainEnv({ XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder }), "");
}

/** The service as built with the demo studio, without rate limits. */
export async function startDemo(folder: string): Promise<BenchServer> {
  const args = ["server", "start", "--port", "0", "--demo", "--limits", "off", "--json"];
  return await start([program, ...args], plainEnv({ XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder }), "");
}

/** The floor: node:http, sending `answer` to every GET; with `--check` it checks the events of what is posted. */
export async function startFloor(answer = "", ...args: string[]): Promise<BenchServer> {
  return await start([join(import.meta.dirname, "floor-server.mjs"), ...args], plainEnv(), answer);
}

async function start(args: readonly string[], env: NodeJS.ProcessEnv, input: string): Promise<BenchServer> {
  const child = spawn(process.execPath, args, { env, stdio: "pipe" });
  child.stdin.end(input);
  let said = "";
  child.stderr.on("data", (text) => (said += text));
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}: ${said}`)));
  });
  const told = JSON.parse(line) as Partial<Omit<BenchServer, "stop">>;
  return {
    url: told.url ?? "",
    managementKey: told.managementKey ?? "",
    ingestKey: told.ingestKey ?? "",
    async stop() {
      child.kill("SIGTERM");
      await gone;
    },
  };
}
