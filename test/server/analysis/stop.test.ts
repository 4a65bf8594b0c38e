/**
 * Stopping during a request to a model: the request is aborted, the session returns to the queue, and no fault is
 * reported.
 */
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { listen } from "../../../src/server/http/listen.ts";
import { QUIET_MS } from "../../../src/server/sessions/analysis-queue.ts";
import { freshFolder, startTestService, type TestService } from "../../harness.ts";
import { createEvents, readSession, readSessionRow, sendTelemetry } from "../telemetry-helpers.ts";
import { configure, hangs, type ScriptedModel, says, startModel } from "./provider/scripted.ts";

let model: ScriptedModel;
let database: string;
let service: TestService;

/** Longer than any test may take, so that only an abort ends the wait. */
const FOREVER_MS = 600_000;

beforeEach(async () => {
  model = await startModel();
  database = join(freshFolder(), "play.db");
  service = await startTestService({ database });
  await service.addGame("ember");
});

afterEach(() => model.stop());

/** Makes the model hang. Resolves when it receives a request. */
function hangModel(): Promise<void> {
  return new Promise((resolve) => {
    model.play((...asked) => {
      hangs(...asked);
      resolve();
    });
  });
}

const fails = (count: number) =>
  createEvents(Array<string>(count).fill("fail")).map((event) => ({ ...event, data: { room: "cellar" } }));

it("returns the session to the queue, and asks the model immediately after the next start", async () => {
  await configure(service, "chat", { base_url: model.baseUrl, timeout_ms: FOREVER_MS });
  const requested = hangModel();
  const id = await sendTelemetry(service, { gameId: "ember", sessionEnded: true, events: fails(6) });
  await expect.poll(async () => (await readSessionRow(service, id)).status).toBe("analyzed");
  service.clock.now += QUIET_MS;
  service.service.wakeAnalysis();
  await requested;
  expect(await readSessionRow(service, id)).toMatchObject({ status: "analyzed", analysis_attempts: 1 });
  await service.stop();
  expect(service.faults).toEqual([]);

  model.play(says({ insights: [] }));
  const again = await startTestService({ database, continues: service, sharesDatabase: true });
  const held = {
    status: "analyzed",
    analysis_attempts: 0,
    analysis_lease: null,
    enrichment_due: service.clock.now,
    enriched_version: null,
  };
  expect(await readSessionRow(again, id)).toMatchObject(held);
  await again.analysis.drain();
  expect(model.asked).toHaveLength(2);
  const { session, insights } = await readSession(again, id);
  expect([session.status, JSON.stringify(insights).includes("degraded")]).toEqual(["analyzed", false]);
  expect(again.faults).toEqual([]);
  await again.stop();
});

it("aborts a response that waits for the model after the grace period, and reports no fault", async () => {
  // The model is only asked about problems of several testers.
  for (const deviceId of ["a", "b", "c", "d", "e"])
    await sendTelemetry(service, { gameId: "ember", deviceId, sessionEnded: true, events: fails(6) });
  await service.analysis.drain();
  await configure(service, "chat", { base_url: model.baseUrl, timeout_ms: FOREVER_MS });
  const listening = await listen(service.app, { host: "127.0.0.1", port: 0, drainMs: 1 });
  const requested = hangModel();
  const path = "/api/v1/builds/compare/suggestions?game=ember&build=unknown";
  const headers = { authorization: `Bearer ${service.keys.management}` };
  const cut = fetch(listening.url + path, { headers }).then(
    () => "answered",
    () => "cut off",
  );
  await requested;
  const within = service.get(path);
  await listening.close();
  expect(await cut).toBe("cut off");
  await service.stop();
  expect((await within).status).toBe(500);
  expect(service.faults).toEqual([]);
});
