/** Times, durations, state snapshot and metadata of a session, before and after its analysis. */
import { afterEach, describe, expect, it } from "vitest";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import {
  type Body,
  createEvents,
  readSession,
  readSessionRow,
  type SentEvent,
  sendTelemetry,
} from "../telemetry-helpers.ts";

const MINUTE = 60_000;
let service: TestService;

afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

async function start(): Promise<void> {
  service = await startTestService();
  await service.addGame("maze");
}

const send = (body: Body) => sendTelemetry(service, { gameId: "maze", clientSessionId: "one", ...body });

/** Advances the clock by `ms`, and runs all analyses that are due. */
async function advance(ms = 0): Promise<void> {
  service.clock.now += ms;
  await service.analysis.drain();
}

const at = (id: string, name: string, timestamp: number, data?: Record<string, unknown>): SentEvent => ({
  id,
  name,
  timestamp,
  ...(data ? { data } : {}),
});

describe("times", () => {
  it("have recordedAt from the first startedAt, or from the time of receipt", async () => {
    await start();
    const withStart = await send({ startedAt: NOW - 5000, events: createEvents(["a"]) });
    service.clock.now += MINUTE;
    await send({ startedAt: NOW, events: createEvents(["a", "b"]) });
    expect((await readSession(service, withStart)).session.recordedAt).toBe(NOW - 5000);
    const bare = await send({ clientSessionId: "two", events: [at("a", "x", NOW - 90 * MINUTE)] });
    expect((await readSession(service, bare)).session.recordedAt).toBe(NOW + MINUTE);
  });

  it("have the difference between the last and the first timestamp as duration, in any order", async () => {
    await start();
    const id = await send({ events: [at("b", "x", NOW + 90_400)] });
    expect((await readSession(service, id)).session.duration).toBe(0);
    await send({ events: [at("c", "x", NOW + 30_000), at("a", "x", NOW)] });
    expect((await readSession(service, id)).session.duration).toBe(90);
    await send({ events: [at("d", "x", NOW + 90_500)], sessionEnded: true });
    await advance();
    expect((await readSession(service, id)).session.duration).toBe(91);
  });

  it("use wallSec and activeSec, or playTimeSec, of the snapshot", async () => {
    await start();
    const id = await send({
      events: [
        at("a", "x", NOW),
        at("h", "session_heartbeat", NOW + 10_000, { wallSec: 300, activeSec: 120.5 }),
      ],
    });
    expect(await readSessionRow(service, id)).toMatchObject({ wall_ms: 300_000, active_ms: 120_500 });
    await send({ events: [at("s", "session_summary", NOW + 20_000, { playTimeSec: 77 })] });
    await advance();
    expect(await readSessionRow(service, id)).toMatchObject({ wall_ms: 77_000, active_ms: 77_000 });
    expect((await readSession(service, id)).session.duration).toBe(77);
  });

  it("are those of the last heartbeat and the play after it, before and after the analysis", async () => {
    await start();
    const id = await send({
      events: [
        at("a", "x", NOW),
        at("h", "session_heartbeat", NOW + 180_000, { wallSec: 180, activeSec: 159 }),
        at("b", "x", NOW + 232_000),
      ],
      sessionEnded: true,
    });
    const times = { wall_ms: 232_000, active_ms: 211_000 };
    expect(await readSessionRow(service, id)).toMatchObject(times);
    await advance();
    expect(await readSessionRow(service, id)).toMatchObject({ status: "analyzed", ...times });
    expect((await readSession(service, id)).session.duration).toBe(232);
  });

  it("exclude idle time from the active time after the analysis, even after later requests", async () => {
    await start();
    const away = [
      at("a", "x", NOW),
      at("b", "idle_start", NOW + 10_000),
      at("c", "idle_end", NOW + 40_000),
      at("d", "x", NOW + 60_000),
    ];
    const id = await send({ deviceId: "d", events: away, sessionEnded: true });
    await advance();
    expect(await readSessionRow(service, id)).toMatchObject({ wall_ms: 60_000, active_ms: 30_000 });
    await send({ events: away, experimentTags: { exp_1: "b" } });
    await advance(MINUTE);
    expect(await readSessionRow(service, id)).toMatchObject({
      status: "analyzed",
      wall_ms: 60_000,
      active_ms: 30_000,
      experiment_tags: '{"exp_1":"b"}',
    });
    const { stats } = (await service.get("/api/v1/testers/maze/d")).json.rollup;
    expect(stats).toMatchObject({ totalWallSec: 60, totalActiveSec: 30, engagementRate: 0.5 });
  });

  it.each([1e300, 1e15, -5, "90", null])(
    "use the events if the snapshot has the invalid duration %j",
    async (wallSec) => {
      await start();
      const id = await send({
        deviceId: "d",
        events: [
          at("a", "x", NOW),
          at("h", "session_heartbeat", NOW + 10_000, { wallSec, activeSec: wallSec }),
        ],
      });
      for (const status of ["pending", "analyzed"]) {
        expect((await readSession(service, id)).session).toMatchObject({ duration: 10, status });
        await advance(30 * MINUTE);
      }
      expect((await service.get("/api/v1/testers/maze/d")).json.rollup.stats.totalWallSec).toBe(10);
    },
  );
});

describe("the state snapshot", () => {
  it("is the data of the latest session_heartbeat or session_summary by timestamp", async () => {
    await start();
    const id = await send({ events: createEvents(["begin"]) });
    const snapshot = async () => (await readSession(service, id)).session.summaryState;
    expect(await snapshot()).toBeNull();
    await send({
      events: [
        at("h2", "session_heartbeat", NOW + 2000, { level: 2 }),
        at("h1", "session_heartbeat", NOW + 1000, { level: 1 }),
      ],
    });
    expect(await snapshot()).toEqual({ level: 2 });
    await send({
      events: [at("h0", "session_heartbeat", NOW, { level: 0 }), at("m", "move", NOW + 9000, { level: 9 })],
    });
    expect(await snapshot()).toEqual({ level: 2 });
    await send({ events: [at("h3", "session_heartbeat", NOW + 3000)] });
    expect(await snapshot()).toEqual({ level: 2 });
    await send({ events: [at("s", "session_summary", NOW + 2000, { level: "end", more: { a: [null] } })] });
    expect(await snapshot()).toEqual({ level: "end", more: { a: [null] } });
  });
});

describe("metadata", () => {
  it("is stored with all its keys when the session is created, and is not changed later", async () => {
    await start();
    const id = await send({ sessionMetadata: { platform: "linux", fps: 60, deep: { a: [1] } } });
    await send({ sessionMetadata: { gameVersion: "2", platform: "mac" }, title: "Other", deviceId: "late" });
    const { session } = await readSession(service, id);
    expect(session.metadata).toEqual({
      gameVersion: "unknown",
      platform: "linux",
      fps: 60,
      deep: { a: [1] },
    });
    expect(session.deviceId).toBeNull();
    expect((await service.get("/api/v1/builds/maze/unknown")).json.rollup.sessionCount).toBe(1);
    expect((await service.get("/api/v1/builds/maze/2")).status).toBe(404);
  });
});
