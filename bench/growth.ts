/** Growth: the cost of requests by the amount of stored data, and its exponent: 0 is constant cost, 1 is linear growth. */
import { join } from "node:path";
import { createAccount, issueKeys } from "../src/server/accounts/accounts.ts";
import { openStore } from "../src/server/db/open.ts";
import { ensureGame } from "../src/server/games/games.ts";
import { startService } from "../src/server/start.ts";
import { ingest } from "../src/server/telemetry/ingest.ts";
import { median, ms, print, timed } from "./measure.ts";
import { BIG_GAME, fill } from "./scale.ts";
import { inFolder } from "./servers.ts";
import { createBody, GAME } from "./telemetry.ts";

/** Requests over sessions, by title. */
const overSessions: Readonly<Record<string, string>> = {
  sessions: "/api/v1/sessions",
  "sessions of one game": `/api/v1/sessions?game=${BIG_GAME}`,
  "event sums of one game": `/api/v1/events/${BIG_GAME}`,
  "one build": `/api/v1/builds/${BIG_GAME}/1.1`,
  "comparison of two builds": `/api/v1/builds/compare?game=${BIG_GAME}&a=1.1&b=1.2`,
};
const REPEATS = 15;
/** The maximum number of events in a body. */
const POSITIONS_PER_BODY = 2000;
const BODIES_PER_SESSION = 5;

/** Measures and prints; `--full` also measures a million sessions and a hundred million positions. */
export async function benchGrowth(quick: boolean): Promise<void> {
  const full = process.argv.includes("--full");
  const sessions = [1000, 10_000, ...(quick ? [] : [100_000]), ...(full ? [1_000_000] : [])];
  const positions = [100_000, 1_000_000, ...(quick ? [] : [10_000_000]), ...(full ? [100_000_000] : [])];
  printTable("sessions", sessions, await measureSizes(sessions, measureSessions));
  printTable("positions", positions, await measureSizes(positions, measurePositions));
}

/** The duration of each request, ms. */
type Times = Readonly<Record<string, number>>;

async function measureSizes(
  sizes: readonly number[],
  measure: (database: string, size: number) => Promise<Times>,
): Promise<Times[]> {
  const all: Times[] = [];
  for (const size of sizes) {
    all.push(await inFolder((folder) => measure(join(folder, "growth.db"), size)));
  }
  return all;
}

async function measureSessions(database: string, size: number): Promise<Times> {
  const filled = await fill(database, size);
  try {
    const times: Record<string, number> = {};
    for (const [name, path] of Object.entries(overSessions)) {
      await filled.ask(path);
      times[name] = await measureMedian(() => filled.ask(path));
    }
    return times;
  } finally {
    await filled.stop();
  }
}

/** Measures the first heatmap request of a new service, and repeated ones. */
async function measurePositions(database: string, size: number): Promise<Times> {
  const key = await fillPositions(database, size);
  const store = await openStore({ database, durability: "NORMAL" });
  const { app, analysis, stop } = await startService({ store, limits: "off" });
  await analysis.stop();
  const ask = async () => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await app.fetch(new Request(`http://127.0.0.1/api/v1/heatmaps/${GAME}`, { headers }));
    if (answer.status !== 200) throw new Error(`GET heatmap returned ${answer.status}`);
    await answer.text();
  };
  try {
    return { "heatmap, first request": await timed(ask), "heatmap, repeated": await measureMedian(ask) };
  } finally {
    await stop();
  }
}

async function fillPositions(database: string, size: number): Promise<string> {
  const store = await openStore({ database, durability: "NORMAL" });
  const { service, analysis, stop } = await startService({ store, limits: "off" });
  await analysis.stop();
  const account = await createAccount(store.writeDb, service, "bench");
  await ensureGame(store.writeDb, service, account.id, GAME);
  const { management } = await issueKeys(store.writeDb, service, account.id);
  const scope = { accountId: account.id, boundGameId: null };
  for (let at = 0; at < size / POSITIONS_PER_BODY; at += 1) {
    const session = `session-${Math.floor(at / BODIES_PER_SESSION)}`;
    await ingest(service, scope, createBody(session, at % BODIES_PER_SESSION, 1, POSITIONS_PER_BODY));
  }
  await stop();
  return management;
}

async function measureMedian(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < REPEATS; n += 1) times.push(await timed(work));
  return median(times);
}

function printTable(what: string, sizes: readonly number[], times: readonly Times[]): void {
  const head = ["", ...sizes.map((size) => size.toLocaleString("en")), "exponent"];
  const rows = Object.keys(times[0] ?? {}).map((name) => {
    const values = times.map((own) => own[name] ?? Number.NaN);
    return [name, ...values.map(ms), exponent(sizes, values).toFixed(2)];
  });
  print(`Cost by number of stored ${what}`, [head, ...rows]);
}

/** The b of cost = a * size^b: the slope of the least-squares line through the logarithms. */
function exponent(sizes: readonly number[], costs: readonly number[]): number {
  const points = sizes.map((size, at) => [Math.log(size), Math.log(costs[at] ?? Number.NaN)] as const);
  const mean = (pick: 0 | 1) => points.reduce((sum, point) => sum + point[pick], 0) / points.length;
  const [mx, my] = [mean(0), mean(1)];
  const products = points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  return products / points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
}
