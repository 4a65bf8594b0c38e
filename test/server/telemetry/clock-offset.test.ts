/** The offset that a client sends to correct its clock: one shift for all times of the session. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, runCli, startTestService, type TestService } from "../../harness.ts";
import { type Body, createEvents, readSession } from "../telemetry-helpers.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
  await service.addGame("maze");
});
afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

async function send(body: Body) {
  const answer = await service.post("/api/telemetry", { gameId: "maze", deviceId: "d", events: [], ...body });
  expect([answer.status, answer.text]).toEqual([202, answer.text]);
  return answer.json;
}

const readTimes = async (id: string) => {
  const { recordedAt, clockCorrected, clockShiftMs, duration } = (await readSession(service, id)).session;
  return { recordedAt, clockCorrected, clockShiftMs, duration };
};

describe("the offset of a client's clock", () => {
  it.each([2 * HOUR, -2 * HOUR, 3 * YEAR, -3 * YEAR, 9 * YEAR, 0.4])(
    "of %i ms corrects the start of its session",
    async (offset) => {
      const startedAt = NOW - Math.round(offset);
      const events = createEvents(["a", "b"], startedAt);
      const { sessionId, accepted } = await send({ startedAt, clockOffsetMs: offset, events });
      expect(accepted).toBe(2);
      const times = { recordedAt: NOW, clockCorrected: false, clockShiftMs: Math.round(offset), duration: 1 };
      expect(await readTimes(sessionId)).toEqual(times);
      // The events keep their times, so that they are recognized.
      const again = await send({ sessionId, startedAt, events });
      expect(again).toMatchObject({ accepted: 0, duplicates: 2, rejected: [] });
      expect(await readTimes(sessionId)).toEqual(times);
      const { items } = (await service.get(`/api/v1/sessions/${sessionId}/events`)).json;
      expect(items.map(({ timestamp, offsetMs }: Record<string, number>) => [timestamp, offsetMs])).toEqual([
        [startedAt, 0],
        [startedAt + 1000, 1000],
      ]);
    },
  );

  it("corrects the first event if the client sends no start", async () => {
    const events = createEvents(["a"], NOW - 5 * HOUR);
    const { sessionId } = await send({ clockOffsetMs: HOUR, events });
    expect(await readTimes(sessionId)).toMatchObject({ recordedAt: NOW - 4 * HOUR, clockShiftMs: HOUR });
  });

  it("corrects a session whose first request did not have it, once", async () => {
    const startedAt = NOW - 2 * DAY;
    const events = createEvents(["a", "b", "c"], startedAt);
    const body = { clientSessionId: "one", startedAt };
    const { sessionId } = await send({ ...body, events: events.slice(0, 2) });
    const receipt = await send({ ...body, clockOffsetMs: 2 * DAY, events });
    expect(receipt).toMatchObject({ sessionId, accepted: 1, duplicates: 2, rejected: [] });
    const times = { recordedAt: NOW, clockCorrected: false, clockShiftMs: 2 * DAY, duration: 2 };
    expect(await readTimes(sessionId)).toEqual(times);
    await send({ ...body, clockOffsetMs: DAY });
    expect(await readTimes(sessionId)).toEqual(times);
    // The counts follow the session to its day.
    const answer = await service.get("/api/v1/events/maze");
    expect(answer.json).toMatchObject({ total: 3, byName: { a: 1, b: 1, c: 1 } });
    const ofDay = await service.get(`/api/v1/events/maze?from=${NOW - DAY}`);
    expect(ofDay.json).toMatchObject({ total: 3, sessionCount: 1 });
    expect((await service.get(`/api/v1/events/maze?to=${NOW - DAY}`)).json).toMatchObject({ total: 0 });
  });

  it("that was 0 at first is not replaced by a later one", async () => {
    const { sessionId } = await send({ startedAt: NOW - HOUR, clockOffsetMs: 0 });
    await send({ sessionId, clockOffsetMs: HOUR, events: createEvents(["a"]) });
    expect(await readTimes(sessionId)).toMatchObject({ recordedAt: NOW - HOUR, clockShiftMs: 0 });
  });

  it("is ignored if it makes a time impossible, and the session moves to its time of receipt", async () => {
    const { sessionId } = await send({ startedAt: NOW + 2 * DAY, clockOffsetMs: 5 * DAY });
    const moved = { recordedAt: NOW, clockCorrected: true, clockShiftMs: -2 * DAY };
    expect(await readTimes(sessionId)).toMatchObject(moved);
    const right = await send({ startedAt: NOW - HOUR, clockOffsetMs: 5 * DAY });
    expect(await readTimes(right.sessionId)).toMatchObject({ recordedAt: NOW - HOUR, clockShiftMs: null });
  });

  it.each([11 * YEAR, -11 * YEAR, "5", null, {}])(
    "is ignored with a warning if it is %j",
    async (clockOffsetMs) => {
      const events = createEvents(["a"], NOW - HOUR);
      const answer = await service.post("/api/telemetry", { gameId: "maze", events, clockOffsetMs });
      expect([answer.status, answer.json.accepted]).toEqual([202, 1]);
      const named = expect.stringContaining("clockOffsetMs");
      expect(answer.json.warnings ?? []).toEqual(clockOffsetMs === null ? [] : [named]);
    },
  );

  it("of another device changes nothing", async () => {
    const { sessionId } = await send({ clientSessionId: "one", startedAt: NOW - HOUR });
    for (const other of [{ deviceId: undefined }, { deviceId: "e" }])
      await send({ ...other, sessionId, clockOffsetMs: -3 * YEAR });
    expect(await readTimes(sessionId)).toMatchObject({ recordedAt: NOW - HOUR, clockShiftMs: null });
  });

  it("keeps the build of the session among those whose order is known", async () => {
    const startedAt = NOW - DAY;
    await send({ startedAt: NOW - 2 * DAY, sessionMetadata: { gameVersion: "1" } });
    await send({ startedAt, clockOffsetMs: HOUR, sessionMetadata: { gameVersion: "2" } });
    const { items } = (await service.get("/api/v1/builds/maze")).json;
    expect(items.map(({ version }: { version: string }) => version)).toEqual(["2", "1"]);
  });

  it("is a line of sessions get", async () => {
    const startedAt = NOW - 3 * HOUR;
    const { sessionId } = await send({
      startedAt,
      clockOffsetMs: 2 * HOUR,
      events: createEvents(["a"], startedAt),
    });
    const { out } = await runCli(["sessions", "get", sessionId], { service });
    expect(out).toContain("corrected (the device's clock was wrong)");
  });
});
