/** Exports of many sessions: the command's time against that of its requests alone, and the most memory it held. */
import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Agent, request } from "undici";
import { type Case, medians, of, print, ratio, timed } from "./measure.ts";
import { BEGIN, type Filled, fill, MINUTE } from "./scale.ts";
import { type BenchServer, inFolder, plainEnv, program, startFilled } from "./servers.ts";

const SESSIONS = 50_000;
const FULL = 1_000_000;
const PAGE = 100;
const DAY = 1440 * MINUTE;
const SAMPLE_EVERY = 50;
const formats = ["ndjson", "csv", "parquet"] as const;

/** Measures and prints; `--full` takes a million sessions, of one game. */
export async function benchExport(quick: boolean): Promise<void> {
  const full = process.argv.includes("--full");
  const sessions = full ? FULL : quick ? SESSIONS / 5 : SESSIONS;
  await inFolder(async (folder) => {
    const database = join(folder, "export.db");
    const filled = await fill(database, sessions, 1);
    const paths = await pathsOf(filled, sessions);
    await filled.stop();
    const server = await startFilled(folder, database);
    try {
      await compare(server, filled.key, paths, { folder, sessions, rounds: full ? 1 : 3 });
    } finally {
      await server.stop();
    }
  });
}

/** What the export asks for: day by day, pages whose bound moves along. */
async function pathsOf(filled: Filled, sessions: number): Promise<string[]> {
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
    { name: "the requests alone", run: () => timed(() => drain(server, key, paths)) },
    ...formats.map((format) => ({
      name: format,
      run: () => timed(async () => peaks.set(format, await exported(server, key, format, folder))),
    })),
  ];
  // Once for nothing: the first to ask finds the database on the disk and the server's code uncompiled.
  await drain(server, key, paths);
  const measured = await medians(cases, rounds, 0);
  const floor = of(measured, "the requests alone");
  const rows = cases.map(({ name }) => {
    const peak = peaks.get(name);
    const took = `${(of(measured, name) / 1000).toFixed(1)} s`;
    return [
      name,
      took,
      ratio(of(measured, name) / floor),
      peak === undefined ? "" : `${Math.round(peak)} MB`,
    ];
  });
  print(`An export of ${sessions.toLocaleString("en")} sessions`, [["", "median", "ratio", "peak"], ...rows]);
}

/** Asks for every page, one after the other, and throws the bodies away. */
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

/** Runs the command; the most memory it held, MB. */
async function exported(
  server: BenchServer,
  key: string,
  format: (typeof formats)[number],
  folder: string,
): Promise<number> {
  const out = join(folder, `out-${format}`);
  const args = ["export", "sessions", "--game", "game-0", "--out", out, "--format", format, "--unpaced"];
  const env = plainEnv({ XDG_CONFIG_HOME: folder, PLAYTEST_BASE_URL: server.url, PLAYTEST_KEY: key });
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (text) => (said += text));
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid ?? 0));
  }, SAMPLE_EVERY);
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  clearInterval(timer);
  rmSync(out, { recursive: true, force: true });
  if (code !== 0) throw new Error(`export ended with ${code}: ${said}`);
  return peak;
}

/** The most memory a process has held so far, MB; 0 where the system does not tell. */
function peakOf(pid: number): number {
  try {
    const [, kib = "0"] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kib) / 1024;
  } catch {
    return 0;
  }
}
