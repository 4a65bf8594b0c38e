/** Servers that are killed during analysis: every session is analyzed, and its results are written once. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { LEASE_MS } from "../../../src/server/analysis/queue-queries.ts";
import { QUIET_MS } from "../../../src/server/sessions/analysis-queue.ts";
import { copyDatabase, engine, openTestStore } from "../../engine.ts";
import { freshFolder, NOW, startTestService } from "../../harness.ts";
import { seed } from "../../property.ts";
import { createRandom } from "../../random.ts";
import { databaseIn, end, endAll, type RealServer, serve } from "../real-server.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";
import { answers, configure, hangs, type ScriptedModel, startModel } from "./provider/scripted.ts";

/** More sessions than can be analyzed before the last kill, even if servers start quickly. */
const SESSIONS = 240;
const KILLS = 8;

let model: ScriptedModel | undefined;

afterEach(async () => {
  await endAll();
  await model?.stop();
  model = undefined;
});

const names = [
  "fail",
  "fail",
  "door_opened",
  "succeed",
  "fps_drop",
  "crash_reported",
  "idle_start",
  "idle_end",
];

/**
 * Events at short intervals, so that no session stays long in a room: its analysis would be repeated later, when more
 * sessions define how long is usual.
 */
function createEvents(random: () => number, session: number, count: number) {
  return Array.from({ length: count }, (_, at) => ({
    id: `e${session}-${at}`,
    name: random() < 0.9 ? "player_pos" : (names[Math.floor(random() * names.length)] ?? ""),
    timestamp: NOW + at * 900,
    data: { room: `room-${Math.floor(random() * 4)}`, x: random(), y: random() },
  }));
}

/** Creates a database with ended sessions that are not analyzed yet. Returns its folder and a management key. */
async function createDatabase(sessions: number, events: number): Promise<{ folder: string; key: string }> {
  const folder = freshFolder();
  const service = await startTestService({ database: databaseIn(folder), sharesDatabase: true });
  await service.addGame("maze");
  const random = createRandom(7);
  for (let n = 0; n < sessions; n += 1) {
    const ended = { gameId: "maze", deviceId: `d${n % 20}`, sessionEnded: true };
    await sendTelemetry(service, { ...ended, events: createEvents(random, n, events) });
  }
  if (model) await configure(service, "chat", { base_url: model.baseUrl });
  await service.stop();
  // A copy, because this process keeps the file open until the statements of the driver are garbage-collected. A file
  // that is open elsewhere is not recovered, so that a commit could be visible in one copy and not in another.
  return { folder: await copyFolder(folder), key: service.keys.management };
}

/** Copies the database of the folder, so that reading it does not affect the original. */
async function copyFolder(folder: string): Promise<string> {
  const copy = freshFolder();
  await copyDatabase(databaseIn(folder), databaseIn(copy));
  return copy;
}

/**
 * Starts a server after some were killed. On Postgres other servers may be alive, so the clock is advanced until the
 * leases of dead servers have expired. On SQLite only one process serves a file, so it does not wait. `waitMs` is added.
 */
async function serveAfter(kills: number, folder: string, name: string, waitMs = 0): Promise<RealServer> {
  const now = NOW + waitMs + (engine === "postgres" ? kills * LEASE_MS : 0);
  return await serve(folder, name, { flags: ["--now", new Date(now).toISOString()] });
}

/** The stored data of each session: its row, its insights and its room times. */
async function readStored(folder: string) {
  const store = await openTestStore(databaseIn(await copyFolder(folder)));
  const sessions = await store.readDb.selectFrom("sessions").selectAll().orderBy("id").execute();
  const insights = await store.readDb.selectFrom("insights").selectAll().orderBy("id").execute();
  const times = await store.readDb.selectFrom("room_times").selectAll().orderBy("room").execute();
  await store.close();
  return sessions.map((session) => ({
    session,
    insights: insights.filter(({ session_id }) => session_id === session.id),
    times: times.filter(({ session_id }) => session_id === session.id),
  }));
}

type Stored = Awaited<ReturnType<typeof readStored>>[number];

const isDone = ({ session }: Stored) => session.status === "analyzed";
/** Removes the times of writing, so that the results of two runs are equal. */
const withoutTimes = ({ insights, ...rest }: Stored) => ({
  ...rest,
  insights: insights.map(({ created_at: _at, ...insight }) => insight),
});

/** Waits until at least `least` sessions are analyzed. */
async function waitUntilAnalyzed(url: string, key: string, least: number): Promise<void> {
  await waitUntilListed(`${url}/api/v1/sessions?status=analyzed&limit=1`, key, least);
}

/** Waits until a list has at least `least` items. */
async function waitUntilListed(list: string, key: string, least: number): Promise<void> {
  for (;;) {
    const answer = await fetch(list, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
    if (((await answer.json()) as { total: number }).total >= least) return;
    await sleep(1);
  }
}

/**
 * Starts servers on the folder one after the other and kills them, then lets one finish. Calls `whenKilled` with the
 * stored data after each kill.
 */
async function runKilled(
  folder: string,
  key: string,
  whenKilled: (all: readonly Stored[]) => void,
): Promise<void> {
  const random = createRandom(seed);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const server = await serveAfter(kill, folder, `killed-${kill}`);
    await waitUntilAnalyzed(server.url, key, Math.floor((kill + random()) * (SESSIONS / 12)));
    await sleep(random() * 8);
    await end(server.process, "SIGKILL");
    whenKilled(await readStored(folder));
  }
  const last = await serveAfter(KILLS, folder, "last");
  await waitUntilAnalyzed(last.url, key, SESSIONS);
  await end(last.process, "SIGTERM");
}

// The clocks stand still, so a server that waited for the lease of a dead process would wait forever.
it(`gives the same results after eight kills as without, and writes each result once (PLAYTEST_SEED=${seed})`, async () => {
  const { folder, key } = await createDatabase(SESSIONS, 400);
  const quiet = await copyFolder(folder);
  const server = await serveAfter(0, quiet, "quiet");
  await waitUntilAnalyzed(server.url, key, SESSIONS);
  await end(server.process, "SIGTERM");

  const seen = new Map<string, Stored>();
  let held = 0;
  await runKilled(folder, key, (all) => {
    for (const item of all.filter(isDone)) {
      expect(seen.get(item.session.id) ?? item).toEqual(item);
      seen.set(item.session.id, item);
    }
    const open = all.filter((item) => !isDone(item));
    expect(open.length).toBeGreaterThan(0);
    for (const { session, insights, times } of open) {
      expect(["pending", "processing"]).toContain(session.status);
      expect([insights, times]).toEqual([[], []]);
    }
    held += open.filter(({ session }) => session.status === "processing").length;
  });

  const after = await readStored(folder);
  expect(after.map(withoutTimes)).toEqual((await readStored(quiet)).map(withoutTimes));
  for (const item of after) {
    const done = { status: "analyzed", analysis_due: null, analysis_lease: null, analysis_attempts: 0 };
    expect(item.session).toMatchObject(done);
    expect(seen.get(item.session.id) ?? item).toEqual(item);
    expect(new Set(item.insights.map(({ created_at }) => created_at)).size).toBe(1);
  }
  expect(held).toBeGreaterThan(0);
});

it("asks the model again after a kill during its request, and writes the findings once", async () => {
  model = await startModel();
  model.play(hangs);
  const { folder, key } = await createDatabase(1, 200);
  const rules = await serveAfter(0, folder, "rules");
  await waitUntilAnalyzed(rules.url, key, 1);
  await end(rules.process, "SIGTERM");
  const first = await serveAfter(0, folder, "first", QUIET_MS);
  while (model.asked.length === 0) await sleep(5);
  await end(first.process, "SIGKILL");
  expect(await readStored(folder)).toMatchObject([
    { session: { status: "analyzed", analysis_attempts: 1, enriched_version: null } },
  ]);

  const found = { type: "ui-friction", sentiment: "negative", confidence: 0.6, where: "hall", title: "Dark" };
  model.play(answers(({ events }) => ({ insights: [{ ...found, evidence: [events[0].id] }] })));
  const second = await serveAfter(1, folder, "second", QUIET_MS);
  // Not by reading a copy, which ends the connections of the server on Postgres.
  await waitUntilListed(`${second.url}/api/v1/insights?type=ui-friction`, key, 1);
  await end(second.process, "SIGTERM");
  const [session] = await readStored(folder);
  expect(model.asked).toHaveLength(2);
  const tags = session?.insights.map(({ tag }) => tag) ?? [];
  expect(new Set(tags).size).toBe(tags.length);
  expect(tags.filter((tag) => tag === "ui-friction:hall")).toHaveLength(1);
  expect(tags).toContain("session-summary:session");
  expect(session?.session).toMatchObject({ status: "analyzed", analysis_lease: null, analysis_attempts: 0 });
});
