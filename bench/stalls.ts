/**
 * Stalls: how long cheap requests wait while a server does expensive work, on the database of a large studio. The database is
 * made first, which takes minutes, and kept in the file of `PLAYTEST_BENCH_DATABASE` if that is set.
 */
import { spawn } from "node:child_process";
import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { createSession, LARGE_GAME, startLarge } from "./large-database.ts";
import { median, ms, print, ratio } from "./measure.ts";
import { type BenchServer, inFolder, plainEnv, program } from "./servers.ts";

/** Reads of the management API, by name. */
const READS: Readonly<Record<string, string>> = {
  retention: `/api/v1/retention/${LARGE_GAME}`,
  trend: `/api/v1/trends/${LARGE_GAME}?tag=negative-moment:garden`,
  funnel: `/api/v1/funnels/${LARGE_GAME}?steps=level_started,player_death,level_completed`,
  builds: `/api/v1/builds/${LARGE_GAME}`,
  testers: `/api/v1/testers/${LARGE_GAME}`,
  crashes: `/api/v1/crashes/${LARGE_GAME}`,
  scorecard: `/api/v1/scorecards/${LARGE_GAME}?a=1.10&b=1.11`,
  compare: "/api/v1/builds/compare?game=large&a=1.10&b=1.11",
  facts: `/api/v1/builds/${LARGE_GAME}/1.11/facts`,
  dropoff: `/api/v1/builds/${LARGE_GAME}/1.11/dropoff`,
  status: `/api/v1/status/${LARGE_GAME}`,
  heatmap: `/api/v1/heatmaps/${LARGE_GAME}?build=1.11`,
  "event counts": `/api/v1/event-counts/${LARGE_GAME}`,
  sessions: `/api/v1/sessions?game=${LARGE_GAME}&q=device-7`,
  insights: `/api/v1/insights?game=${LARGE_GAME}`,
  archetypes: `/api/v1/testers/${LARGE_GAME}/archetypes`,
  "raw events": `/api/v1/raw-events/${LARGE_GAME}`,
  suggestions: `/api/v1/builds/compare/suggestions?game=${LARGE_GAME}&a=1.10&b=1.11&fallback=rules`,
};

type Send = (method: string, path: string, body?: string) => Promise<number>;

/** Returns a function that sends a request on its own connection. It resolves with the status. */
function connectTo({ url, managementKey, ingestKey }: BenchServer): Send {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const key = method === "POST" ? ingestKey : managementKey;
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const sent = request(`${url}${path}`, { agent, method, headers }, (response) => {
        response.resume();
        response.once("end", () => resolve(response.statusCode ?? 0)).once("error", reject);
      });
      sent.once("error", reject).end(body);
    });
}

interface Probe {
  readonly name: string;
  send(n: number): Promise<number>;
  readonly status: number;
}

function createProbes(server: BenchServer): Probe[] {
  const [games, ingest, health] = [connectTo(server), connectTo(server), connectTo(server)];
  const event = (n: number) => ({
    ...createSession(n),
    clientSessionId: `probe-${process.pid}-${n % 10}`,
    deviceId: `probe-${n % 10}`,
    sessionEnded: false,
    events: [{ id: `p${n}`, name: "probe", timestamp: Date.now(), data: { room: "hall" } }],
  });
  return [
    { name: "games", send: () => games("GET", "/api/v1/games"), status: 200 },
    {
      name: "telemetry",
      send: (n) => ingest("POST", "/api/telemetry", JSON.stringify(event(n))),
      status: 202,
    },
    { name: "healthz", send: () => health("GET", "/healthz"), status: 200 },
  ];
}

const sleep = (duration: number) => new Promise((resolve) => setTimeout(resolve, duration));
const PAUSE_MS = 5;
/** About the time of an analysis. */
const ANALYSIS_MS = 100;
/** Sessions of an imported file. */
const IMPORTED = 500;
let sent = 0;
let erased = 0;

/** Probes until `isDone`. The result has the latencies of each probe in ms. */
async function probe(probes: readonly Probe[], isDone: () => boolean): Promise<number[][]> {
  return await Promise.all(
    probes.map(async ({ name, send, status }) => {
      const latencies: number[] = [];
      while (!isDone()) {
        const start = performance.now();
        const got = await send(sent++);
        if (got !== status) throw new Error(`${name} answered ${got}`);
        latencies.push(performance.now() - start);
        await sleep(PAUSE_MS);
      }
      return latencies;
    }),
  );
}

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN;

/** Repeats work for some seconds, or once if it takes longer, and probes meanwhile. */
async function during(probes: readonly Probe[], durationMs: number, work: () => Promise<unknown>) {
  const end = performance.now() + durationMs;
  const times: number[] = [];
  let isDone = false;
  const working = (async () => {
    while (performance.now() < end) {
      const start = performance.now();
      await work();
      times.push(performance.now() - start);
    }
  })().finally(() => {
    isDone = true;
  });
  const [latencies] = await Promise.all([probe(probes, () => isDone), working]);
  return { latencies, times };
}

/** Runs a command of the program beside the server. */
function run(folder: string, ...args: string[]): Promise<void> {
  const env = plainEnv({ XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder });
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "ignore", "pipe"] });
    let stderr = "";
    child.stderr.on("data", (text) => (stderr += text));
    child.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`${args.join(" ")}: ${stderr}`)),
    );
  });
}

/** Sends a session of 2,000 events, and leaves the service time for its analysis, which runs beside the probes. */
function analyze(send: Send): () => Promise<unknown> {
  let n = 0;
  return async () => {
    n += 1;
    const session = createSession(n);
    const events = Array.from({ length: 40 }, (_, part) =>
      session.events.map((event, at) => ({ ...event, id: `e${part}-${at}` })),
    ).flat();
    const body = { ...session, clientSessionId: `long-${process.pid}-${n}`, events: events.slice(0, 2000) };
    await send("POST", "/api/telemetry", JSON.stringify(body));
    await sleep(ANALYSIS_MS);
  };
}

/** Writes a telemetry file with sessions that the database does not have. Returns its path. */
function writePlay(folder: string): string {
  const file = join(folder, `play-${sent}.ndjson`);
  const lines = Array.from({ length: IMPORTED }, (_, n) =>
    JSON.stringify({ ...createSession(n), clientSessionId: `imported-${sent}-${n}` }),
  );
  writeFileSync(file, lines.join("\n"));
  return file;
}

/** Measures and prints. */
export async function benchStalls(quick: boolean): Promise<void> {
  await inFolder(async (folder) => {
    const kept = process.env.PLAYTEST_BENCH_DATABASE;
    const database = join(folder, "large.db");
    if (kept !== undefined) {
      if (!existsSync(kept)) await (await startLarge(folder, kept)).stop();
      copyFileSync(kept, database);
      // Otherwise, the disk is busy with the copy meanwhile.
      const copy = openSync(database, "r+");
      fsyncSync(copy);
      closeSync(copy);
    }
    const server = await startLarge(folder, database);
    const durationMs = quick ? 2000 : 5000;
    try {
      const probes = createProbes(server);
      const [read, write] = [connectTo(server), connectTo(server)];
      await probe(probes, stopAfter(1000));
      const rest = await probe(probes, stopAfter(durationMs));
      const works: [string, () => Promise<unknown>][] = [
        ...Object.entries(READS).map(([name, path]): [string, () => Promise<unknown>] => [
          name,
          async () => {
            const status = await read("GET", path);
            if (status !== 200) throw new Error(`${path} answered ${status}`);
          },
        ]),
        ["analysis", analyze(write)],
        [
          "backup",
          () =>
            run(folder, "server", "backup", "--out", join(folder, `backup-${sent}`), "--database", database),
        ],
        [
          "prune",
          () => run(folder, "server", "prune", "--database", database, "--keep-events", "329d", "--yes"),
        ],
        [
          "erasure",
          () =>
            run(
              folder,
              ...["admin", "testers", "erase", createSession(erased++).deviceId],
              ...["--database", database, "--yes"],
            ),
        ],
        ["import", () => run(folder, "server", "import", writePlay(folder), "--database", database)],
      ];
      const only = process.argv.includes("--only")
        ? process.argv[process.argv.indexOf("--only") + 1]
        : undefined;
      const rows: string[][] = [];
      const describe = (name: string, took: string, latencies: readonly (readonly number[])[]) => [
        name,
        took,
        ...latencies.flatMap((values, at) => {
          const p99 = percentile(values, 0.99);
          return [ms(p99), ratio(p99 / percentile(rest[at] ?? [], 0.99)), ms(Math.max(...values))];
        }),
      ];
      rows.push(describe("at rest", "", rest));
      for (const [name, work] of works.filter(([name]) => only === undefined || name === only)) {
        try {
          const { latencies, times } = await during(probes, durationMs, work);
          rows.push(describe(name, ms(median(times)), latencies));
        } catch (error) {
          console.error(`${name}: ${String(error)}`);
        }
      }
      const header = ["", "takes", ...probes.flatMap(({ name }) => [`${name} p99`, "ratio", "max"])];
      print("Waits of cheap requests while a server does expensive work", [header, ...rows]);
    } finally {
      await server.stop();
    }
  });
}

function stopAfter(durationMs: number): () => boolean {
  const end = performance.now() + durationMs;
  return () => performance.now() >= end;
}
