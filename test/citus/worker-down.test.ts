/** A worker that is down only takes its own games down. Lists of an account never show a part, and everything recovers. */
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { startTestService, type TestService } from "../harness.ts";
import { ownDatabase } from "../postgres/databases.ts";
import { readNodes, runOn } from "../postgres/nodes.ts";
import { createEvents, sendTelemetry } from "../server/telemetry-helpers.ts";

let service: TestService;
let address: string;
let drop: () => Promise<unknown>;
/** A game on the worker that goes down, and one on another worker. */
let down: string;
let up: string;
const sessions = new Map<string, string>();

const workerPort = Number(new URL(readNodes()[1] ?? "").port);
/** The discard port, on which nothing listens. */
const CLOSED_PORT = 9;

const setWorkerPort = (from: number, to: number) =>
  runOn(address, `update pg_dist_node set nodeport = ${to} where nodeport = ${from}`);

/** Whether a game is on the worker that goes down. */
async function isOnWorker(gameId: string): Promise<boolean> {
  const { rows } = await sql<{ nodeport: number }>`
    select nodeport from citus_shards where table_name = 'sessions'::regclass
      and shardid = get_shard_id_for_distribution_column('sessions', ${gameId}::text)
  `.execute(service.service.store.readDb);
  return Number(rows[0]?.nodeport) === workerPort;
}

const send = (game: string, clientSessionId: string) =>
  service.post("/api/telemetry", {
    ...{ gameId: game, deviceId: "ana", clientSessionId, sessionEnded: true },
    events: createEvents(["start", "player_death", "end"]),
  });

beforeAll(async () => {
  ({ address, drop } = await ownDatabase());
  service = await startTestService({ store: await openStore({ database: address }) });
  const games = new Map<boolean, string>();
  for (let n = 0; games.size < 2; n += 1) {
    const slug = `game-${n}`;
    games.set(await isOnWorker(await service.addGame(slug)), slug);
  }
  [down = "", up = ""] = [games.get(true), games.get(false)];
  for (const game of [down, up])
    sessions.set(
      game,
      await sendTelemetry(service, { gameId: game, clientSessionId: "old", events: createEvents(["start"]) }),
    );
  await setWorkerPort(workerPort, CLOSED_PORT);
  // Close the connections that the coordinator has kept, and wait until they have ended.
  await runOn(
    address,
    "select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and application_name = 'playtest'",
  );
});

afterAll(async () => {
  await service.stop();
  await drop();
});

it("refuses what belongs to its games with 503, and names the reason", async () => {
  const answer = await send(down, "new");
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  const list = await service.get(`/api/v1/sessions?game=${down}`);
  expect([list.status, list.json]).toEqual([
    503,
    { error: "A database node is down, and some games are unavailable", retryAfterMs: 1000 },
  ]);
});

it("stores, analyzes and shows the sessions of other games", async () => {
  const answer = await send(up, "new");
  expect([answer.status, answer.json.accepted]).toEqual([202, 3]);
  await service.analysis.drain();
  const list = await service.get(`/api/v1/sessions?game=${up}`);
  expect([list.status, list.json.total]).toEqual([200, 2]);
  const session = await service.get(`/api/v1/sessions/${answer.json.sessionId}`);
  expect([session.status, session.json.session.status]).toEqual([200, "analyzed"]);
  for (const path of [
    "/api/v1/games",
    `/api/v1/games/${up}`,
    `/api/v1/heatmaps/${up}`,
    `/api/v1/sessions?game=${up}`,
  ])
    expect([path, (await service.get(path)).status]).toEqual([path, 200]);
});

it("never shows a part of an account, or that a session does not exist while it may", async () => {
  for (const path of [
    "/api/v1/sessions",
    "/api/v1/insights",
    `/api/v1/sessions/${sessions.get(down)}`,
    "/api/v1/sessions/sess_000000000000000000000000",
  ])
    expect([path, (await service.get(path)).status]).toEqual([path, 503]);
});

it("continues with all games once the worker responds again", async () => {
  await setWorkerPort(CLOSED_PORT, workerPort);
  await expect.poll(async () => (await service.get("/api/v1/sessions")).json.total).toBe(3);
  const answer = await send(down, "new");
  expect(answer.status).toBe(202);
  expect((await service.get("/api/v1/sessions")).json.total).toBe(4);
  await expect
    .poll(async () => (await service.get("/api/v1/sessions/sess_000000000000000000000000")).status)
    .toBe(404);
});
