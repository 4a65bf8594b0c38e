/** Sessions with absurd durations, from wrong clocks or hostile clients: every endpoint still returns valid totals. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_SESSION_MS } from "../../../src/server/sessions/durations.ts";
import { sumPlayTimeByDevice } from "../../../src/server/testers/archetype-queries.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { configure, embeds, type ScriptedModel, startModel } from "../analysis/provider/scripted.ts";
import { changeSession, readSession, sendTelemetry } from "../telemetry-helpers.ts";

const FOREVER = Number.MAX_SAFE_INTEGER;
const LONGEST_SEC = MAX_SESSION_MS / 1000;

let service: TestService;
let model: ScriptedModel;
let gameId: string;

beforeEach(async () => {
  service = await startTestService();
  model = await startModel();
  gameId = await service.addGame("ember");
  const row = { game_id: gameId, id: "pth_1", handle: "Ash", key_id: null, device_id: "d0", claimed_at: NOW };
  const { writeDb: write } = service.service.store;
  await write
    .insertInto("tester_handles")
    .values({ ...row, claim_token_hash: null, created_at: NOW })
    .execute();
  for (const device_id of ["d0", "d1", "d2", "d3", "d4"]) {
    const summary = { game_id: gameId, device_id, environment: "production", narrative: "plays" };
    await write
      .insertInto("tester_summaries")
      .values({ ...summary, generated_at: NOW })
      .execute();
  }
  await configure(service, "embedding", { base_url: model.baseUrl, model: "e1" });
  model.play(embeds(() => [1]));
});

afterEach(async () => {
  await service.stop();
  await model.stop();
  expect(service.faults).toEqual([]);
});

let sent = 0;
const endless = () =>
  sendTelemetry(service, {
    gameId: "ember",
    clientSessionId: `c${sent++}`,
    deviceId: "d0",
    sessionEnded: true,
    events: [
      { id: "a", name: "x", timestamp: NOW },
      // The step to the last event counts as idle time, so that only the client's own time is absurd.
      { id: "b", name: "session_summary", timestamp: NOW + 1, data: { wallSec: 9e12, activeSec: 9e12 } },
      { id: "c", name: "x", timestamp: FOREVER },
    ],
  });

const handles = () => service.get("/api/v1/handles/ember");
const archetypes = () => service.get("/api/v1/testers/ember/archetypes");

describe("a session with an event in the far future", () => {
  it("is accepted, and has the maximum duration", async () => {
    const ids = [await endless(), await endless()];
    const durations = async () =>
      Promise.all(ids.map(async (id) => (await readSession(service, id)).session.duration));
    expect(await durations()).toEqual([LONGEST_SEC, LONGEST_SEC]);
    await service.analysis.drain();
    expect(await durations()).toEqual([LONGEST_SEC, LONGEST_SEC]);
    const answer = await handles();
    expect([answer.status, answer.json.handles[0].total_play_time_ms]).toEqual([200, 2 * MAX_SESSION_MS]);
    const groups = await archetypes();
    expect([groups.status, groups.json.archetypes[0].avgActivePlayMinutes]).toEqual([
      200,
      (2 * MAX_SESSION_MS) / 60_000 / 5,
    ]);
    const { stats } = (await service.get("/api/v1/testers/ember/d0")).json.rollup;
    expect(stats).toMatchObject({ totalWallSec: 2 * LONGEST_SEC, totalActiveSec: 2 * LONGEST_SEC });
  });
});

describe("durations that were stored before there was a maximum", () => {
  it("add up to at most the largest safe integer, without a fault", async () => {
    for (const id of [await endless(), await endless(), await endless()]) {
      await service.analysis.drain();
      await changeSession(service, id, { wall_ms: FOREVER, active_ms: FOREVER });
    }
    const answer = await handles();
    expect([answer.status, answer.json.handles[0].total_play_time_ms]).toEqual([200, FOREVER]);
    const played = await sumPlayTimeByDevice(service.service.store.readDb, gameId, "all", ["d0"]);
    expect(played.get("d0")).toEqual({ sessions: 3, activeMs: FOREVER });
    expect((await archetypes()).status).toBe(200);
    for (const path of ["testers/ember/d0", "builds/ember/unknown", "testers/ember/d0/journey"])
      expect([path, (await service.get(`/api/v1/${path}`)).status]).toEqual([path, 200]);
  });
});
