/**
 * The database of a large studio: 104,000 sessions with 5 million events, sent to a server and analyzed by it. Filling it takes
 * minutes, so a file that exists is used again.
 */
import { existsSync, renameSync } from "node:fs";
import { postRequest, sendAll } from "./load.ts";
import { type BenchServer, startService, UNLIMITED } from "./servers.ts";

export const LARGE_GAME = "large";
export const BUILDS = 12;
const SESSIONS = 104_000;
const TESTERS = 14_000;
const CONNECTIONS = 8;
const ROOMS = ["atrium", "cellar", "docks", "forge", "garden", "hall", "kiln", "library"];
/** Visits of rooms in a session, each with the events of `visit`. */
const VISITS = 8;
const POSITIONS_PER_VISIT = 2;
const SECOND = 1000;
const BEGIN = Date.UTC(2026, 0, 1);
/** Between the starts of two sessions. */
const INTERVAL_MS = 150 * SECOND;
/** Sent together, so that not all bodies are in memory at once. */
const PART = 4000;

/** Starts a server on the database in a file, which is filled first if it does not exist. */
export async function startLarge(folder: string, file: string): Promise<BenchServer> {
  if (!existsSync(file)) await fill(folder, file);
  return await startService(folder, file, LARGE_GAME);
}

async function fill(folder: string, file: string): Promise<void> {
  const filling = `${file}.filling`;
  const server = await startService(folder, filling, LARGE_GAME, ...UNLIMITED, "--durability", "normal");
  for (let first = 0; first < SESSIONS; first += PART) {
    const byConnection = Array.from({ length: CONNECTIONS }, (_, connection) =>
      Array.from({ length: PART / CONNECTIONS }, (_, at) => {
        const body = JSON.stringify(createSession(first + at * CONNECTIONS + connection));
        return postRequest(server.url, "/api/telemetry", server.ingestKey, body);
      }),
    );
    await sendAll(server.url, byConnection, 202);
  }
  while ((await countPending(server)) > 0) await new Promise((resolve) => setTimeout(resolve, SECOND));
  await server.stop();
  renameSync(filling, file);
}

async function countPending({ url, managementKey }: BenchServer): Promise<number> {
  const headers = { authorization: `Bearer ${managementKey}` };
  let total = 0;
  for (const status of ["pending", "processing"]) {
    const response = await fetch(`${url}/api/v1/sessions?game=${LARGE_GAME}&status=${status}&limit=1`, {
      headers,
    });
    total += ((await response.json()) as { total: number }).total;
  }
  return total;
}

/** A number in [0, 1) that looks random: Knuth's multiplicative hash. */
const random = (n: number) => (Math.imul(n, 2_654_435_761) >>> 0) / 2 ** 32;

/** The body of the n-th session: some rooms, in which the tester dies, gives up or completes. */
export function createSession(n: number) {
  const startedAt = BEGIN + n * INTERVAL_MS;
  const build = Math.floor((n / SESSIONS) * BUILDS);
  const events: object[] = [];
  let at = startedAt;
  const add = (name: string, data: object, seconds: number) => {
    at += seconds * SECOND;
    events.push({ id: `e${events.length}`, name, timestamp: at, data });
  };
  const last = 2 + Math.floor(random(n + 1) * (VISITS - 2));
  for (let visit = 0; visit < VISITS; visit += 1) {
    const room = ROOMS[Math.min(visit, last)] ?? "";
    add("level_started", { room }, 2);
    for (let p = 0; p < POSITIONS_PER_VISIT; p += 1)
      add("player_pos", { room, x: Math.round(random(n * 31 + visit * 7 + p) * 640) / 10, y: p }, 3);
    add("enemy_hit", { room, damage: visit }, 4);
    if (random(n * 17 + visit) < 0.2 + build / 60) add("player_death", { room, cause: "lava" }, 5);
    else add("item_taken", { room, item: "lantern" }, 5);
    if (visit < last) add("level_completed", { room }, 10);
  }
  if (n % 97 === 0)
    add("crash", { message: `Null reference in ${ROOMS[n % 8]}`, stack: `at Room${n % 5}.Load` }, 1);
  return {
    gameId: LARGE_GAME,
    clientSessionId: `session-${n}`,
    deviceId: `device-${Math.floor(random(n) * TESTERS)}`,
    source: "unity-telemetry",
    startedAt,
    sessionMetadata: { gameVersion: `1.${build}`, platform: "windows" },
    sessionEnded: true,
    events,
  };
}
