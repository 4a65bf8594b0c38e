/** Play, chat, administration and compaction on one database at once, while what does it is killed at seeded moments. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { playtest, root } from "../cli/program.ts";
import { end, type RealServer, serve } from "../server/real-server.ts";
import { sharesOf } from "../shares.ts";

const GAME = "maze";
/** Bodies of a session, and how many sessions are played at a time. */
const PARTS = 5;
const AT_ONCE = 8;
/** Events of a body: half of them were in the body before it as well. */
const EVENTS = 20;
const CHANNELS = 6;

/** What was sent with nothing but success in the end. */
export interface Played {
  /** Ids of events by the client's session. */
  readonly sessions: ReadonlyMap<string, ReadonlySet<string>>;
  readonly channels: readonly string[];
  readonly games: readonly string[];
  readonly experiments: readonly string[];
  /** The last management key that was made. */
  readonly managementKey: string;
}

/** One event of a session, the same whenever it is sent. */
export function eventOf(session: string, n: number) {
  const isPosition = n % 3 === 0;
  return {
    id: `${session}-${String(n).padStart(3, "0")}`,
    name: isPosition ? "player_pos" : `step-${n % 7}`,
    timestamp: 1_772_000_000_000 + n * 1000,
    data: isPosition ? { x: n * 1.25, y: n % 10, room: `room-${n % 2}` } : { n },
  };
}

function bodyOf(n: number) {
  const round = Math.floor(n / (AT_ONCE * PARTS));
  const session = `s${round}-${n % AT_ONCE}`;
  const part = Math.floor((n % (AT_ONCE * PARTS)) / AT_ONCE);
  const events = Array.from({ length: EVENTS }, (_, at) => eventOf(session, (part * EVENTS) / 2 + at));
  const own = { gameId: GAME, clientSessionId: session, deviceId: `d${n % 3}`, source: "unity-telemetry" };
  return { ...own, events, sessionEnded: part === PARTS - 1 };
}

/** What is killed, and when: everything that a round of it needs. */
interface Round {
  readonly nth: number;
  readonly share: () => number;
  /** The server that is up. */
  readonly server: RealServer;
  readonly folder: string;
}

export interface Setup {
  readonly folder: string;
  /** A file, or the address of a database. */
  readonly database: string;
  readonly kills: number;
  readonly seed: number;
  /** Kills something once the moment has come; the server is killed unless told otherwise. */
  readonly kill?: (round: Round) => Promise<void>;
}

/** After how many rounds what compacts is killed too. */
const COMPACTED = 6;
/** The longest that a server is left alone before it is killed, ms. */
const MOMENT_MS = 300;

/** Plays until everything was killed so often, and then until all that was begun is acknowledged. */
export async function playUnderKills({
  folder,
  database,
  kills,
  seed,
  kill = killServer,
}: Setup): Promise<Played> {
  const share = sharesOf(seed);
  const flags = ["--database", database];
  const start = async (nth: number) => await serve(folder, `server-${nth}`, { flags });
  let server = await start(0);
  const { ingestKey = "" } = server;
  let managementKey = server.managementKey ?? "";
  let isOver = false;
  // Fires where a round fails: whatever is still being sent would be sent for ever.
  const broken = new AbortController();
  const sent = new Map<string, Set<string>>();
  const channels = new Set<string>();
  const [games, experiments] = [new Set<string>(), new Set<string>()];

  /** Sends until it is taken: whoever dealt with it may die, or be away, and nothing else may go wrong. */
  const post = async (
    path: () => string,
    body: unknown,
    taken: readonly number[],
    refused: readonly number[],
  ) => {
    for (;;) {
      broken.signal.throwIfAborted();
      const response = await fetch(server.url + path(), {
        method: "POST",
        headers: { authorization: `Bearer ${ingestKey}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      }).catch(() => null);
      const text = await response?.text().catch(() => null);
      if (response && text != null && taken.includes(response.status)) return;
      expect([...refused, undefined, ...taken], text ?? "").toContain(response?.status);
      await sleep(20);
    }
  };
  let next = 0;
  const ingest = async () => {
    // A session that was begun is played to its end.
    for (let n = next++; !isOver || n % (AT_ONCE * PARTS) !== 0; n = next++) {
      const body = bodyOf(n);
      await post(() => "/api/telemetry", body, [202], [503]);
      const ids = sent.get(body.clientSessionId) ?? new Set();
      for (const { id } of body.events) ids.add(id);
      sent.set(body.clientSessionId, ids);
      await sleep(2);
      if (isOver && next % (AT_ONCE * PARTS) === 0) return;
    }
  };
  const chat = async () => {
    for (let n = 0; !isOver; n += 1) {
      const channel = `c${n % CHANNELS}-${Math.floor(n / 100)}`;
      const body = { channel_id: channel, game: GAME };
      // A key that was replaced meanwhile opens nothing.
      await post(() => `/api/webhooks/discord?key=${managementKey}`, body, [200, 201], [401, 503]);
      channels.add(channel);
      await sleep(5);
    }
  };
  const admin = async (...argv: string[]) => {
    const { exitCode, stdout } = await playtest(["admin", ...argv, ...flags, "--json"]);
    return exitCode === 0 ? JSON.parse(String(stdout)) : null;
  };
  const administer = async () => {
    for (let n = 0; !isOver; n += 1) {
      if (await admin("games", "create", `g${n}`)) games.add(`g${n}`);
      const variants = ["--variant", "a", "--variant", "b", "--game", GAME];
      const made = await admin("experiments", "create", `Caves ${n}`, ...variants);
      if (made) experiments.add(made.experiment.id);
      managementKey = (await admin("keys", "rotate"))?.key ?? managementKey;
    }
    // The one that a command made that could not tell it is replaced.
    for (;;) {
      broken.signal.throwIfAborted();
      const rotated = await admin("keys", "rotate");
      if (!rotated) continue;
      managementKey = rotated.key;
      return;
    }
  };
  const work = Promise.all([ingest(), ingest(), ingest(), ingest(), chat(), administer()]);
  work.catch((reason) => broken.abort(reason));
  try {
    let compactor: ChildProcess | undefined;
    for (let nth = 0; nth < kills; nth += 1) {
      if (nth % COMPACTED === 0) compactor = startCompaction(database);
      broken.signal.throwIfAborted();
      await sleep(share() * MOMENT_MS);
      await kill({ nth, share, server, folder });
      if (compactor && nth % COMPACTED === COMPACTED - 1) await end(compactor, "SIGKILL");
      if (server.process.signalCode === null) continue;
      if (nth % 4 === 1) await killWhileItStarts(database, folder, share() * 600);
      server = await start(nth + 1);
    }
    if (compactor) await end(compactor, "SIGKILL");
    // What was not moved by those that were killed is moved by one that is not, for a while.
    const last = startCompaction(database);
    await once(last.stdout ?? last, "data");
    await sleep(500);
    await end(last, "SIGKILL");
  } catch (error) {
    broken.abort(error);
    throw error;
  }
  isOver = true;
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

async function killWhileItStarts(database: string, folder: string, ms: number): Promise<void> {
  const env = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
  const child = playtest(["server", "start", "--port", "0", "--database", database], { env });
  await sleep(ms);
  child.kill("SIGKILL");
  await child;
}

function startCompaction(database: string): ChildProcess {
  const script = join(root, "test", "faults", "compacting.ts");
  const child = spawn(process.execPath, ["--import", "tsx", script, database], {
    cwd: root,
    stdio: ["ignore", "pipe", "ignore"],
  });
  compactors.push(child);
  return child;
}

const compactors: ChildProcess[] = [];
// However this process ends, they end too.
process.once("exit", () => {
  for (const child of compactors) child.kill("SIGKILL");
});

/** After so many looks without any progress sessions are stuck; a lease of Postgres that a dead server held ends before. */
const STUCK_AFTER = 900;

/** Starts a server that nothing disturbs, and waits until it has analysed every session that there is. */
export async function settle(folder: string, database: string, managementKey: string): Promise<void> {
  const server = await serve(folder, "last", { flags: ["--database", database] });
  const totalOf = async (query: string) => {
    const response = await fetch(`${server.url}/api/v1/sessions?limit=1&${query}`, {
      headers: { authorization: `Bearer ${managementKey}` },
    });
    expect(response.status).toBe(200);
    return ((await response.json()) as { total: number }).total;
  };
  let [left, tries] = [Number.POSITIVE_INFINITY, 0];
  while (left > 0) {
    const now = (await totalOf("")) - (await totalOf("status=analyzed"));
    // A session that lost what ended it waits for half an hour.
    tries = now < left ? 0 : tries + 1;
    if (tries > STUCK_AFTER) throw new Error(`${now} sessions are stuck`);
    left = now;
    await sleep(100);
  }
  await end(server.process, "SIGTERM");
  expect(server.process.exitCode).toBe(0);
}
