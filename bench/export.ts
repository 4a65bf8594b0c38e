/** Exports of many sessions: the duration of the command compared with its requests only, and its peak memory. */
import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Agent, request } from "undici";
import { type Case, getMedian, medians, print, ratio, timed } from "./measure.ts";
import { BEGIN, type Filled, fill, MINUTE } from "./sample-sessions.ts";
import { type BenchServer, inFolder, plainEnv, program, startFilled } from "./servers.ts";
import { recordTarget } from "./targets.ts";

const SESSIONS = 50_000;
const FULL = 1_000_000;
const PAGE = 100;
const DAY = 1440 * MINUTE;
const SAMPLE_EVERY = 50;
const formats = ["ndjson", "csv", "parquet"] as const;

/** Measures and prints; `--full` uses a million sessions of one game. */
export async function benchExport(quick: boolean): Promise<void> {
  const full = process.argv.includes("--full");
  const sessions = full ? FULL : quick ? SESSIONS / 5 : SESSIONS;
  await inFolder(async (folder) => {
    const database = join(folder, "export.db");
    const filled = await fill(database, sessions, 1);
    const paths = await collectPaths(filled, sessions);
    await filled.stop();
    const server = await startFilled(folder, database);
    try {
      await compare(server, filled.key, paths, { folder, sessions, rounds: full ? 1 : 3 });
    } finally {
      await server.stop();
    }
  });
}

/** The requests of an export: day by day, in pages with a moving time bound. */
async function collectPaths(filled: Filled, sessions: number): Promise<string[]> {
  const paths: string[] = [];
  for (let from = BEGIN; from < BEGIN + sessions * MINUTE; from += DAY) {
    for (let to = from + DAY - 1; ; ) {
      const path = `/api/v1/sessions?game=game-0&limit=${PAGE}&offset=0&from=${from}&to=${to}`;
      paths.push(path);
      const { items, hasMore } = JSON.parse(await filled.ask(path)) as {
        items: { recordedAt: number }[];
        hasMore: boolean;
      };
      if (!hasMore) break;
      to = items.at(-1)?.recordedAt ?? 0;
    }
  }
  return paths;
}

async function compare(
  server: BenchServer,
  key: string,
  paths: readonly string[],
  { folder, sessions, rounds }: { folder: string; sessions: number; rounds: number },
): Promise<void> {
  const peaks = new Map<string, number>();
  const cases: Case[] = [
    { name: "requests only", run: () => timed(() => drain(server, key, paths)) },
    ...formats.map((format) => ({
      name: format,
      run: () => timed(async () => peaks.set(format, await runExport(server, key, format, folder))),
    })),
  ];
  // Warm up: the first requests read from the disk, and the server's code is not compiled yet.
  await drain(server, key, paths);
  const measured = await medians(cases, rounds, 0);
  const floor = getMedian(measured, "requests only");
  // Short exports mostly take the start of the program.
  if (sessions >= SESSIONS) recordTarget("export", getMedian(measured, "ndjson") / floor);
  const rows = cases.map(({ name }) => {
    const peak = peaks.get(name);
    const took = `${(getMedian(measured, name) / 1000).toFixed(1)} s`;
    return [
      name,
      took,
      ratio(getMedian(measured, name) / floor),
      peak === undefined ? "" : `${Math.round(peak)} MB`,
    ];
  });
  print(`Export of ${sessions.toLocaleString("en")} sessions`, [["", "median", "ratio", "peak"], ...rows]);
}

/** Requests all pages sequentially, and discards the bodies. */
async function drain(server: BenchServer, key: string, paths: readonly string[]): Promise<void> {
  const dispatcher = new Agent({ connections: 1 });
  for (const path of paths) {
    const { body, statusCode } = await request(server.url + path, {
      dispatcher,
      headers: { authorization: `Bearer ${key}` },
    });
    await body.arrayBuffer();
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
  }
  await dispatcher.close();
}

/** Runs the command, and returns its peak memory, MB. */
async function runExport(
  server: BenchServer,
  key: string,
  format: (typeof formats)[number],
  folder: string,
): Promise<number> {
  const out = join(folder, `out-${format}`);
  const args = ["export", "sessions", "--game", "game-0", "--out", out, "--format", format, "--unpaced"];
  const env = plainEnv({ XDG_CONFIG_HOME: folder, PLAYTEST_BASE_URL: server.url, PLAYTEST_KEY: key });
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (text) => (stderr += text));
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, readPeakMemory(child.pid ?? 0));
  }, SAMPLE_EVERY);
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  clearInterval(timer);
  rmSync(out, { recursive: true, force: true });
  if (code !== 0) throw new Error(`export exited with ${code}: ${stderr}`);
  return peak;
}

/** The peak memory of a process so far, MB; 0 if the system does not report it. */
function readPeakMemory(pid: number): number {
  try {
    const [, kib = "0"] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kib) / 1024;
  } catch {
    return 0;
  }
}
