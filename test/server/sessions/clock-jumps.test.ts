/** A session whose clock jumps while it is played: the jump counts as idle time, in the session and in what was found in it. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, runCli, startTestService, type TestService } from "../../harness.ts";
import { readSession, readSessionRow } from "../telemetry-helpers.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let service: TestService;
let start: number;

beforeEach(async () => {
  service = await startTestService();
  await service.addGame("maze");
  start = service.clock.now;
});
afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

let next = 0;
const event = (ms: number, name: string, data: object = {}) => ({
  ...{ id: `e${next++}`, name, timestamp: start + ms },
  data: { room: "dock", ...data },
});

/** Sends events that the device sent `ms` after the start by a right clock. */
async function send(ms: number, events: readonly object[], more: object = {}): Promise<string> {
  service.clock.now = start + ms;
  const body = { gameId: "maze", clientSessionId: "one", deviceId: "d1", startedAt: start, events, ...more };
  const answer = await service.post("/api/telemetry", body);
  expect([answer.status, answer.json.rejected]).toEqual([202, []]);
  return answer.json.sessionId;
}

async function readRoom(id: string, room: string) {
  const { readDb } = service.service.store;
  const rows = await readDb.selectFrom("room_times").selectAll().where("session_id", "=", id).execute();
  return rows.find((row) => row.room === room);
}

describe("a clock that jumps 30 days ahead and back", () => {
  it("adds no time to the session and its rooms, and makes no quit", async () => {
    const id = await send(MINUTE, [event(0, "begin"), event(MINUTE, "press")]);
    await send(2 * MINUTE, [
      event(30 * DAY, "press", { room: "attic" }),
      event(30 * DAY + MINUTE, "press", { room: "attic" }),
    ]);
    await send(4 * MINUTE, [event(3 * MINUTE, "press"), event(4 * MINUTE, "complete")], {
      sessionEnded: true,
    });
    await service.analysis.drain();
    const { session, insights } = await readSession(service, id);
    expect(session).toMatchObject({ duration: 180, recordedAt: start, clockCorrected: false, clockJumps: 2 });
    expect(await readSessionRow(service, id)).toMatchObject({ wall_ms: 3 * MINUTE, active_ms: 3 * MINUTE });
    expect(await readRoom(id, "attic")).toMatchObject({ active_ms: MINUTE, quit: 0 });
    expect(await readRoom(id, "dock")).toMatchObject({ active_ms: 2 * MINUTE, completed: 1, quit: 0 });
    expect(insights.map(({ evidence }: { evidence: string }) => evidence).join()).toContain(
      "6 events within 3m",
    );
    const { out } = await runCli(["sessions", "get", id], { service });
    expect(out).toContain("jumped 2 times, which does not count as play");
  });

  it("adds no time before the analysis", async () => {
    const id = await send(MINUTE, [event(0, "begin"), event(MINUTE, "press")]);
    await send(2 * MINUTE, [event(30 * DAY, "press"), event(30 * DAY + MINUTE, "press")]);
    expect((await readSession(service, id)).session).toMatchObject({ duration: 120, clockJumps: 1 });
    await send(3 * MINUTE, [event(30 * DAY + 2 * MINUTE, "press")]);
    expect((await readSession(service, id)).session).toMatchObject({ duration: 180, clockJumps: 1 });
  });

  it.each([
    ["with the same clock", (30 * DAY) / 1000 + 120],
    ["with another one", 120],
  ])("adds no time that the client measured %s", async (_what, seconds) => {
    const id = await send(MINUTE, [event(0, "begin"), event(MINUTE, "press")]);
    const state = { playTimeSec: seconds, wallSec: seconds };
    await send(2 * MINUTE, [
      event(30 * DAY + MINUTE, "press"),
      event(30 * DAY + 2 * MINUTE, "session_heartbeat", state),
    ]);
    const expected = async (wall: number) => {
      const row = await readSessionRow(service, id);
      expect([row.wall_ms, row.active_ms].map((ms) => ms / MINUTE).every((minutes) => minutes <= wall)).toBe(
        true,
      );
    };
    await expected(3);
    await send(2 * MINUTE, [], { sessionEnded: true });
    await service.analysis.drain();
    await expected(3);
  });
});

it("events that arrive late fill a gap that counted as a jump", async () => {
  const id = await send(MINUTE, [event(0, "begin")]);
  await send(50 * MINUTE, [event(50 * MINUTE, "press")]);
  expect((await readSession(service, id)).session).toMatchObject({ duration: 0, clockJumps: 1 });
  await send(DAY, [event(25 * MINUTE, "press")], { sessionEnded: true });
  await service.analysis.drain();
  expect((await readSession(service, id)).session).toMatchObject({ duration: 50 * 60, clockJumps: 0 });
});

it("a device that sleeps for more than half an hour adds no time", async () => {
  const id = await send(5 * MINUTE, [event(0, "begin"), event(5 * MINUTE, "press")]);
  await send(66 * MINUTE, [event(65 * MINUTE, "press"), event(66 * MINUTE, "press")], { sessionEnded: true });
  await service.analysis.drain();
  expect((await readSession(service, id)).session).toMatchObject({ duration: 6 * 60, clockJumps: 1 });
});

it("absurd times are stored", async () => {
  const far = Number.MAX_SAFE_INTEGER - NOW - DAY;
  const events = Array.from({ length: 20 }, (_, n) => event(n % 2 === 0 ? 0 : far, "press"));
  const id = await send(MINUTE, events, { sessionEnded: true });
  await service.analysis.drain();
  // Events of one request are sorted, unless they are before its first one.
  expect((await readSession(service, id)).session).toMatchObject({ status: "analyzed", clockJumps: 1 });
});
