/** Two processes at one queue: a result is written by whoever holds the session, and by nobody else. */
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LEASE_MS } from "../../../src/server/analysis/lease.ts";
import { addressOf, engine } from "../../engine.ts";
import { freshFolder, NOW, runCli, startTestService, type TestService } from "../../harness.ts";
import { eventsOf, play, read, rowOf } from "../play.ts";
import { configure, type ScriptedModel, says, startModel } from "./provider/scripted.ts";

let database: string;
let first: TestService;
let model: ScriptedModel;
/** The request that the first service's model has not answered yet. */
let waiting: ServerResponse | undefined;

const ended = { gameId: "maze", clientSessionId: "one", sessionEnded: true };
const quiet = says({ insights: [] });
/** How long something is waited for that comes. */
const PATIENCE = { timeout: 20_000 };

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

/** Plays a session whose analysis waits for the model, and answers its id. */
async function playAndWait(): Promise<string> {
  model.play((_, response) => {
    waiting = response;
  }, quiet);
  const id = await play(first, { ...ended, events: eventsOf(["fail", "fail", "fail"]) });
  await vi.waitFor(() => expect(waiting).toBeDefined(), PATIENCE);
  return id;
}

/**
 * Starts a service that may take what the first one holds: of a file at its start, for a file is served by one process;
 * on Postgres once the lease has ended.
 */
async function startSecond(): Promise<TestService> {
  if (engine === "postgres") first.clock.now += LEASE_MS;
  return await startTestService({ database, continues: first });
}

/** Lets the first service's model answer, and waits until nothing is due. */
async function answer(): Promise<void> {
  if (!waiting) throw new Error("No model is waited for");
  const asked = model.asked[0];
  if (asked) quiet(asked, waiting, undefined as never);
  await first.analysis.drain();
}

it("leaves a session alone that another took over and finished", async () => {
  const id = await playAndWait();
  const second = await startSecond();
  await second.analysis.drain();
  const done = { row: await rowOf(first, id), ...(await read(first, id)) };
  expect(done).toMatchObject({ row: { status: "analyzed" }, insights: [{}, {}] });
  first.clock.now += 1000;
  await answer();
  expect({ row: await rowOf(first, id), ...(await read(first, id)) }).toEqual(done);
  await second.stop();
  expect([first.faults, second.faults]).toEqual([[], []]);
});

it("leaves a session alone that another holds by now", async () => {
  const id = await playAndWait();
  let theirs: ServerResponse | undefined;
  model.play((_, response) => {
    theirs = response;
  });
  const second = await startSecond();
  await vi.waitFor(() => expect(theirs).toBeDefined(), PATIENCE);
  const held = await rowOf(first, id);
  expect(held).toMatchObject({ status: "processing", analysis_attempts: 2 });
  await answer();
  expect(await rowOf(first, id)).toEqual(held);
  expect((await read(first, id)).insights).toEqual([]);
  theirs?.destroy();
  await second.analysis.drain();
  expect(await rowOf(first, id)).toMatchObject({ status: "analyzed", analysis_lease: null });
  await second.stop();
});

it("an administrative command beside a server takes no session from it, and asks no model", async () => {
  const id = await playAndWait();
  const held = await rowOf(first, id);
  const run = await runCli(["admin", "games", "create", "tower", "--database", await addressOf(database)]);
  expect([run.code, run.err]).toEqual([0, run.err]);
  expect(await rowOf(first, id)).toEqual(held);
  await answer();
  expect(await rowOf(first, id)).toMatchObject({ status: "analyzed", analysis_attempts: 0 });
  expect(model.asked).toHaveLength(1);
  expect((await read(first, id)).insights[0].createdAt).toBe(NOW);
});
