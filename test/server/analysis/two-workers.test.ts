/** Two workers on one queue: only the owner of the lease writes results. */
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { LEASE_MS } from "../../../src/server/analysis/queue-queries.ts";
import { QUIET_MS } from "../../../src/server/sessions/analysis-queue.ts";
import { engine, resolveDatabase } from "../../engine.ts";
import { freshFolder, NOW, runCli, startTestService, type TestService } from "../../harness.ts";
import { createEvents, readSession, readSessionRow, sendTelemetry } from "../telemetry-helpers.ts";
import { configure, type ScriptedModel, says, startModel } from "./provider/scripted.ts";

let database: string;
let first: TestService;
let model: ScriptedModel;
/** The pending request to the model of the first service. */
let waiting: ServerResponse | undefined;

const ended = { gameId: "maze", clientSessionId: "one", sessionEnded: true };
const quiet = says({ insights: [] });

beforeEach(async () => {
  database = join(freshFolder(), "play.db");
  first = await startTestService({ database });
  model = await startModel();
  await first.addGame("maze");
  await configure(first, "chat", { base_url: model.baseUrl, timeout_ms: 30_000 });
  waiting = undefined;
});

afterEach(async () => {
  waiting?.destroy();
  await first.stop();
  await model.stop();
});

/** Sends a session about which a model is asked once it is quiet, waits for that, and returns its id. */
async function playAndWait(): Promise<string> {
  model.play((_, response) => {
    waiting = response;
  }, quiet);
  const id = await sendTelemetry(first, { ...ended, events: createEvents(["fail", "fail", "fail"]) });
  await expect.poll(async () => (await readSessionRow(first, id)).status).toBe("analyzed");
  first.clock.now += QUIET_MS;
  first.service.wakeAnalysis();
  await expect.poll(() => waiting).toBeDefined();
  return id;
}

/**
 * Starts a second service that can claim the session of the first one: on SQLite at startup, because only one process
 * serves a file, and on Postgres after the lease has expired.
 */
async function startSecond(): Promise<TestService> {
  if (engine === "postgres") first.clock.now += LEASE_MS;
  return await startTestService({ database, continues: first });
}

/** Lets the model of the first service respond, and waits until no session is due. */
async function answer(): Promise<void> {
  if (!waiting) throw new Error("No model is waited for");
  const asked = model.asked[0];
  if (asked) quiet(asked, waiting, undefined as never);
  await first.analysis.drain();
}

it("does not write a session that another worker took over and finished", async () => {
  const id = await playAndWait();
  const second = await startSecond();
  await second.analysis.drain();
  const done = { row: await readSessionRow(first, id), ...(await readSession(first, id)) };
  expect(done).toMatchObject({ row: { status: "analyzed" }, insights: [{}, {}] });
  first.clock.now += 1000;
  await answer();
  expect({ row: await readSessionRow(first, id), ...(await readSession(first, id)) }).toEqual(done);
  await second.stop();
  expect([first.faults, second.faults]).toEqual([[], []]);
});

it("does not write a session that another worker has leased since", async () => {
  const id = await playAndWait();
  let theirs: ServerResponse | undefined;
  model.play((_, response) => {
    theirs = response;
  });
  const second = await startSecond();
  await expect.poll(() => theirs).toBeDefined();
  const held = await readSessionRow(first, id);
  expect(held).toMatchObject({ status: "analyzed", analysis_attempts: 2 });
  await answer();
  expect(await readSessionRow(first, id)).toEqual(held);
  expect((await readSession(first, id)).insights).toHaveLength(2);
  theirs?.destroy();
  await second.analysis.drain();
  expect(await readSessionRow(first, id)).toMatchObject({ status: "analyzed", analysis_lease: null });
  await second.stop();
});

it("does not claim sessions or ask models from an administrative command next to a server", async () => {
  const id = await playAndWait();
  const held = await readSessionRow(first, id);
  const run = await runCli([
    "admin",
    "games",
    "create",
    "tower",
    "--database",
    await resolveDatabase(database),
  ]);
  expect([run.code, run.err]).toEqual([0, run.err]);
  expect(await readSessionRow(first, id)).toEqual(held);
  await answer();
  expect(await readSessionRow(first, id)).toMatchObject({ status: "analyzed", analysis_attempts: 0 });
  expect(model.asked).toHaveLength(1);
  expect((await readSession(first, id)).insights[0].createdAt).toBe(NOW);
});
