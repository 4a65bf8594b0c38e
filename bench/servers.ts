/** Starts the servers of the benchmarks, each in its own process. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A running server. */
export interface BenchServer {
  readonly url: string;
  readonly pid: number;
  /** The keys of the service; empty for the baseline server. */
  readonly managementKey: string;
  readonly ingestKey: string;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, "..");
export const program = process.env.PLAYTEST_BENCH_PROGRAM ?? join(root, "bin", "playtest.js");

/** The environment of measured processes, without additional certificates, which would double Node's startup time. */
export function plainEnv(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...env } = process.env;
  return { ...env, ...more };
}

/** Runs `work` with a temporary folder. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** For bulk loads: no rate limits and no budgets. */
export const UNLIMITED = ["--limits", "off", "--budgets", "off"];

/** Starts the built service on a database, without limits unless flags are given. Its settings are in the folder. */
export async function startService(
  folder: string,
  database: string,
  game: string,
  ...flags: string[]
): Promise<BenchServer> {
  const limits = flags.length > 0 ? flags : UNLIMITED;
  return await startProgram(folder, database, ...limits, "--new-keys", "--create-game", game);
}

/** Starts the built service on an existing database with keys. */
export async function startFilled(folder: string, database: string): Promise<BenchServer> {
  return await startProgram(folder, database, ...UNLIMITED);
}

async function startProgram(folder: string, database: string, ...flags: string[]): Promise<BenchServer> {
  const args = ["server", "start", "--port", "0", "--database", database, ...flags, "--json"];
  const env = plainEnv({ XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder });
  return await start([program, ...args], env, "");
}

/** Starts the baseline server, which sends `answer` for every GET and, with `--check`, validates posted events. */
export async function startBaseline(answer = "", ...args: string[]): Promise<BenchServer> {
  return await start([join(import.meta.dirname, "floor-server.mjs"), ...args], plainEnv(), answer);
}

async function start(args: readonly string[], env: NodeJS.ProcessEnv, input: string): Promise<BenchServer> {
  const child = spawn(process.execPath, args, { env, stdio: "pipe" });
  child.stdin.end(input);
  let stderr = "";
  child.stderr.on("data", (text) => (stderr += text));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`${args.join(" ")} exited with ${code}: ${stderr}`)));
  });
  const output = JSON.parse(line) as Partial<Omit<BenchServer, "stop">>;
  return {
    url: output.url ?? "",
    pid: child.pid ?? 0,
    managementKey: output.managementKey ?? "",
    ingestKey: output.ingestKey ?? "",
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
