/** Runs ingest, chat, admin commands and compaction on one database, and kills their processes at seeded moments. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { playtest, root } from "../cli/program.ts";
import { createRandom } from "../random.ts";
import { end, type RealServer, serve } from "../server/real-server.ts";

const GAME = "maze";
/** Bodies per session. */
const PARTS = 5;
/** Number of sessions that are sent concurrently. */
const CONCURRENT_SESSIONS = 8;
/** Events per body. Half of them were already in the previous body. */
const EVENTS = 20;
const CHANNELS = 6;

/** Everything that was acknowledged. */
export interface LoadResult {
  /** Event ids by client session id. */
  readonly sessions: ReadonlyMap<string, ReadonlySet<string>>;
  readonly channels: readonly string[];
  readonly games: readonly string[];
  readonly experiments: readonly string[];
  /** The current management key. */
  readonly managementKey: string;
}

/** Creates the n-th event of a session, always the same. */
export function createEvent(session: string, n: number) {
  const isPosition = n % 3 === 0;
  return {
    id: `${session}-${String(n).padStart(3, "0")}`,
    name: isPosition ? "player_pos" : `step-${n % 7}`,
    timestamp: 1_772_000_000_000 + n * 1000,
    data: isPosition ? { x: n * 1.25, y: n % 10, room: `room-${n % 2}` } : { n },
  };
}

function createBody(n: number) {
  const round = Math.floor(n / (CONCURRENT_SESSIONS * PARTS));
  const session = `s${round}-${n % CONCURRENT_SESSIONS}`;
  const part = Math.floor((n % (CONCURRENT_SESSIONS * PARTS)) / CONCURRENT_SESSIONS);
  const events = Array.from({ length: EVENTS }, (_, at) => createEvent(session, (part * EVENTS) / 2 + at));
  const envelope = {
    gameId: GAME,
    clientSessionId: session,
    deviceId: `d${(n % CONCURRENT_SESSIONS) % 3}`,
    source: "unity-telemetry",
  };
  return { ...envelope, events, sessionEnded: part === PARTS - 1 };
}

/** The input of one round of kills. */
interface Round {
  /** Index of the round, from 0. */
  readonly nth: number;
  /** Returns random numbers in [0, 1). */
  readonly random: () => number;
  /** The running server. */
  readonly server: RealServer;
  readonly folder: string;
}

export interface LoadOptions {
  readonly folder: string;
  /** A file or the URL of a database. */
  readonly database: string;
  readonly kills: number;
  readonly seed: number;
  /** Kills a process (default: the server). */
  readonly kill?: (round: Round) => Promise<void>;
}

/** The compaction process is also killed every this many rounds. */
const COMPACTION_ROUNDS = 6;
/** Maximum time before a server is killed, ms. */
const MAX_UPTIME_MS = 300;

/** Runs the load for the given number of kills, and then until everything that was started is acknowledged. */
export async function runLoadWithKills({
  folder,
  database,
  kills,
  seed,
  kill = killServer,
}: LoadOptions): Promise<LoadResult> {
  const random = createRandom(seed);
  const flags = ["--database", database];
  const start = async (nth: number) => await serve(folder, `server-${nth}`, { flags });
  let server = await start(0);
  const { ingestKey = "" } = server;
  let managementKey = server.managementKey ?? "";
  let isStopping = false;
  // Aborted if a round fails, because the senders would otherwise retry forever.
  const failure = new AbortController();
  const sent = new Map<string, Set<string>>();
  const channels = new Set<string>();
  const [games, experiments] = [new Set<string>(), new Set<string>()];

  /** Sends a request until it succeeds. The server may be killed or unavailable, but other errors fail the test. */
  const post = async (
    path: () => string,
    body: unknown,
    success: readonly number[],
    retryable: readonly number[],
  ) => {
    for (;;) {
      failure.signal.throwIfAborted();
      const response = await fetch(server.url + path(), {
        method: "POST",
        headers: { authorization: `Bearer ${ingestKey}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      }).catch(() => null);
      const text = await response?.text().catch(() => null);
      if (response && text != null && success.includes(response.status)) return;
      expect([...retryable, undefined, ...success], text ?? "").toContain(response?.status);
      await sleep(20);
    }
  };
  let next = 0;
  const ingest = async () => {
    // Sessions that were started are sent completely.
    for (let n = next++; !isStopping || n % (CONCURRENT_SESSIONS * PARTS) !== 0; n = next++) {
      const body = createBody(n);
      await post(() => "/api/telemetry", body, [202], [503]);
      const ids = sent.get(body.clientSessionId) ?? new Set();
      for (const { id } of body.events) ids.add(id);
      sent.set(body.clientSessionId, ids);
      await sleep(2);
      if (isStopping && next % (CONCURRENT_SESSIONS * PARTS) === 0) return;
    }
  };
  const chat = async () => {
    for (let n = 0; !isStopping; n += 1) {
      const channel = `c${n % CHANNELS}-${Math.floor(n / 100)}`;
      const body = { channel_id: channel, game: GAME };
      // 401 is possible because the key may be rotated at the same time.
      await post(() => `/api/webhooks/discord?key=${managementKey}`, body, [200, 201], [401, 503]);
      channels.add(channel);
      await sleep(5);
    }
  };
  const admin = async (...argv: string[]) => {
    const { exitCode, stdout } = await playtest(["admin", ...argv, ...flags, "--json"]);
    return exitCode === 0 ? JSON.parse(String(stdout)) : null;
  };
  const runAdminCommands = async () => {
    for (let n = 0; !isStopping; n += 1) {
      if (await admin("games", "create", `g${n}`)) games.add(`g${n}`);
      const variants = ["--variant", "a", "--variant", "b", "--game", GAME];
      const made = await admin("experiments", "create", `Caves ${n}`, ...variants);
      if (made) experiments.add(made.experiment.id);
      managementKey = (await admin("keys", "rotate", "--yes"))?.key ?? managementKey;
    }
    // A killed command may have rotated the key without reporting the new one, so rotate it again.
    for (;;) {
      failure.signal.throwIfAborted();
      const rotated = await admin("keys", "rotate", "--yes");
      if (!rotated) continue;
      managementKey = rotated.key;
      return;
    }
  };
  const work = Promise.all([ingest(), ingest(), ingest(), ingest(), chat(), runAdminCommands()]);
  work.catch((reason) => failure.abort(reason));
  try {
    let compactor: ChildProcess | undefined;
    for (let nth = 0; nth < kills; nth += 1) {
      if (nth % COMPACTION_ROUNDS === 0) compactor = startCompaction(database);
      failure.signal.throwIfAborted();
      await sleep(random() * MAX_UPTIME_MS);
      await kill({ nth, random, server, folder });
      if (compactor && nth % COMPACTION_ROUNDS === COMPACTION_ROUNDS - 1) await end(compactor, "SIGKILL");
      if (server.process.signalCode === null) continue;
      if (nth % 4 === 1) await killDuringStart(database, folder, random() * 600);
      server = await start(nth + 1);
    }
    if (compactor) await end(compactor, "SIGKILL");
    // The killed processes may not have moved anything: on a slow machine, too little was sent while they ran.
    const last = startCompaction(database);
    await once(last.stdout ?? last, "data", { signal: failure.signal });
    await end(last, "SIGKILL");
  } catch (error) {
    failure.abort(error);
    throw error;
  }
  isStopping = true;
  await work;
  await end(server.process, "SIGKILL");
  return {
    sessions: sent,
    channels: [...channels],
    games: [...games],
    experiments: [...experiments],
    managementKey,
  };
}

async function killServer({ server }: Round): Promise<void> {
  await end(server.process, "SIGKILL");
}

async function killDuringStart(database: string, folder: string, ms: number): Promise<void> {
  const env = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
  const child = playtest(["server", "start", "--port", "0", "--database", database], { env });
  await sleep(ms);
  child.kill("SIGKILL");
  await child;
}

export function startCompaction(database: string): ChildProcess {
  const script = join(root, "test", "faults", "compaction-process.ts");
  const child = spawn(process.execPath, ["--import", "tsx", script, database], {
    cwd: root,
    stdio: ["ignore", "pipe", "ignore"],
  });
  compactors.push(child);
  return child;
}

const compactors: ChildProcess[] = [];
// Do not leave processes behind, however this process ends.
process.once("exit", () => {
  for (const child of compactors) child.kill("SIGKILL");
});

/** Polls without progress before sessions count as stuck: longer than the lease of a killed server lasts. */
const MAX_IDLE_POLLS = 900;

/** Starts a server and waits until it has analyzed all sessions. */
export async function finishAnalysis(folder: string, database: string, managementKey: string): Promise<void> {
  const server = await serve(folder, "last", { flags: ["--database", database] });
  const countSessions = async (query: string) => {
    const response = await fetch(`${server.url}/api/v1/sessions?limit=1&${query}`, {
      headers: { authorization: `Bearer ${managementKey}` },
    });
    expect(response.status).toBe(200);
    return ((await response.json()) as { total: number }).total;
  };
  let [remaining, idlePolls] = [Number.POSITIVE_INFINITY, 0];
  while (remaining > 0) {
    const current = (await countSessions("")) - (await countSessions("status=analyzed"));
    // A session that lost its end event would only be analyzed after half an hour.
    idlePolls = current < remaining ? 0 : idlePolls + 1;
    if (idlePolls > MAX_IDLE_POLLS) throw new Error(`${current} sessions are stuck`);
    remaining = current;
    await sleep(100);
  }
  await end(server.process, "SIGTERM");
  expect(server.process.exitCode).toBe(0);
}
