/** Devices with a wrong clock: their sessions are moved to the time of receipt, keep their duration and are marked. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addSession } from "../../../src/server/sessions/sessions.ts";
import { recordThreadCall } from "../../../src/server/sessions/webhook-handlers.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { createEvents, listAll, readSession, readSessionRow, sendTelemetry } from "../telemetry-helpers.ts";

const DAY = 86_400_000;
const YEAR = 365 * DAY;

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("maze");
});

afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const send = async (body: object) => {
  const id = await sendTelemetry(service, { gameId: "maze", ...body });
  const { session } = await readSession(service, id);
  return { id, session, shift: (await readSessionRow(service, id)).clock_shift };
};

describe("a session that starts at a wrong time", () => {
  it.each([
    ["a year ahead", NOW + YEAR],
    ["a millisecond more than a day ahead", NOW + DAY + 1],
    ["the latest possible date", 8_640_000_000_000_000],
  ])("%s is moved to the time of receipt, and keeps its duration", async (_, startedAt) => {
    const { session, shift } = await send({ startedAt, events: createEvents(["a", "b", "c"], startedAt) });
    expect(session).toMatchObject({ recordedAt: NOW, receivedAt: NOW, clockCorrected: true, duration: 2 });
    expect(session.title).toContain("2026-03-01T12:00Z");
    expect(shift).toBe(NOW - startedAt);
  });

  it.each([0, 5, DAY, NOW / 1000, 946_684_799_999])(
    "%i ms after 1970 is moved to the time of receipt",
    async (startedAt) => {
      const { session } = await send({ startedAt });
      expect(session).toMatchObject({ recordedAt: NOW, receivedAt: NOW, clockCorrected: true });
    },
  );

  it("shortly before 2000 is moved to the time of receipt, although its events are in 2000", async () => {
    const startedAt = Date.UTC(2000, 0, 1) - 1000;
    const events = createEvents(["a", "b"], startedAt + 5000);
    const moved = { recordedAt: NOW, receivedAt: NOW, clockCorrected: true };
    expect(await send({ startedAt, events })).toMatchObject({ session: moved, shift: NOW - startedAt });
    // The same if the session is created without events.
    const { id } = await send({ startedAt });
    await sendTelemetry(service, { gameId: "maze", sessionId: id, events });
    expect((await readSession(service, id)).session).toMatchObject(moved);
    expect((await readSessionRow(service, id)).clock_shift).toBe(NOW - startedAt);
  });

  it("is detected by its earliest event if it has no startedAt", async () => {
    const ahead = await send({ events: createEvents(["a", "b"], NOW + YEAR) });
    expect(ahead.session).toMatchObject({ recordedAt: NOW, clockCorrected: true, duration: 1 });
    expect(ahead.shift).toBe(-YEAR);
    const latest = await send({ events: [{ id: "a", name: "x", timestamp: Number.MAX_SAFE_INTEGER }] });
    expect(latest.session).toMatchObject({ recordedAt: NOW, clockCorrected: true });
    expect(latest.shift).toBe(NOW - Number.MAX_SAFE_INTEGER);
  });

  it("is detected by its first events if it was created without events", async () => {
    const { id, session } = await send({});
    expect(session).toMatchObject({ recordedAt: NOW, clockCorrected: false });
    await sendTelemetry(service, { gameId: "maze", sessionId: id, events: createEvents(["a"], NOW + YEAR) });
    expect((await readSession(service, id)).session).toMatchObject({ recordedAt: NOW, clockCorrected: true });
  });

  it("is counted on the day of receipt", async () => {
    await service.addGame("counted");
    const startedAt = NOW + YEAR;
    await sendTelemetry(service, { gameId: "counted", startedAt, events: createEvents(["a"], startedAt) });
    const count = async (from: number, to: number) =>
      (await service.get(`/api/v1/events/counted?from=${from}&to=${to}`)).json.total;
    const day = NOW - (NOW % DAY);
    expect([await count(day, day + DAY - 1), await count(day + DAY, day + 2 * YEAR)]).toEqual([1, 0]);
  });
});

describe("a session keeps its times if it", () => {
  it.each([
    ["starts up to a day ahead", NOW + DAY],
    ["was recorded years ago and is sent today", Date.UTC(2012, 4, 1)],
    ["starts with 2000", Date.UTC(2000, 0, 1)],
  ])("%s", async (_, startedAt) => {
    const { session, shift } = await send({ startedAt, events: createEvents(["a", "b"], startedAt) });
    expect(session).toMatchObject({ recordedAt: startedAt, receivedAt: NOW, clockCorrected: false });
    expect(shift).toBeNull();
  });

  it("has a clock that jumps ahead after the start", async () => {
    const { id } = await send({ startedAt: NOW - DAY, events: createEvents(["a"], NOW - DAY) });
    await sendTelemetry(service, {
      gameId: "maze",
      sessionId: id,
      events: [{ id: "j", name: "x", timestamp: NOW + YEAR }],
    });
    expect((await readSession(service, id)).session).toMatchObject({
      recordedAt: NOW - DAY,
      clockCorrected: false,
    });
  });

  it("has no startedAt and old events", async () => {
    const { session } = await send({ events: createEvents(["a"], NOW - YEAR) });
    expect(session).toMatchObject({ recordedAt: NOW, clockCorrected: false });
  });

  it("receives more events later", async () => {
    const { id } = await send({ startedAt: NOW - 5, events: createEvents(["a"]) });
    service.clock.now += 60_000;
    await sendTelemetry(service, {
      gameId: "maze",
      sessionId: id,
      startedAt: NOW,
      events: createEvents(["a", "b", "c"]).slice(1),
    });
    service.clock.now = NOW;
    expect((await readSession(service, id)).session).toMatchObject({ recordedAt: NOW - 5, receivedAt: NOW });
  });
});

describe("a start before 2000", () => {
  it.each([
    [
      NOW / 1000,
      "startedAt 1772366400 looks like seconds. Send Unix milliseconds. The time of receipt was used instead.",
    ],
    [5, "startedAt 5 is before the year 2000. Send Unix milliseconds. The time of receipt was used instead."],
  ])("%i is ignored with a warning, and the events are stored", async (startedAt, warning) => {
    const answer = await service.post("/api/telemetry", {
      gameId: "maze",
      startedAt,
      events: createEvents(["a", "b"]),
    });
    expect([answer.status, answer.json]).toMatchObject([202, { accepted: 2, warnings: [warning] }]);
    // The events prove that the clock is right: the start was sent in another unit.
    const { session } = await readSession(service, answer.json.sessionId);
    expect(session).toMatchObject({ recordedAt: NOW, clockCorrected: false, duration: 1 });
  });

  it.each([
    ["events of a correct clock", NOW - 5000, false],
    ["events of a clock that is ahead", NOW + YEAR, true],
  ])("of a session without events is corrected by later %s", async (_, at, clockCorrected) => {
    const { id, session } = await send({ startedAt: NOW / 1000 });
    expect(session.clockCorrected).toBe(true);
    await sendTelemetry(service, { gameId: "maze", sessionId: id, events: createEvents(["a", "b"], at) });
    expect((await readSession(service, id)).session).toMatchObject({
      recordedAt: NOW,
      receivedAt: NOW,
      clockCorrected,
      duration: 1,
    });
    expect((await readSessionRow(service, id)).clock_shift).toBe(clockCorrected ? NOW - at : null);
  });

  it("gives a warning, unlike a valid start", async () => {
    const answer = await service.post("/api/telemetry", { gameId: "maze", startedAt: NOW, events: [] });
    expect(answer.json).not.toHaveProperty("warnings");
  });
});

it("sessions without telemetry follow the same rule", async () => {
  const { service: deps, accountId } = service;
  const gameId = await service.addGame("talk");
  await recordThreadCall(deps, accountId, { game: "talk", channelId: "1" });
  const game = await deps.store.readDb
    .selectFrom("games")
    .selectAll()
    .where("id", "=", gameId)
    .executeTakeFirstOrThrow();
  for (const recordedAt of [NOW + YEAR, NOW - YEAR]) {
    await deps.store.write((db) =>
      addSession(db, deps, game, { source: "manual", status: "transcribing", recordedAt }),
    );
  }
  const times = (await listAll(service, "/api/v1/sessions?game=talk")).map(
    ({ source, recordedAt, receivedAt, clockCorrected }) => [source, recordedAt, receivedAt, clockCorrected],
  );
  expect(times.sort()).toEqual([
    ["discord", NOW, NOW, false],
    ["manual", NOW - YEAR, NOW, false],
    ["manual", NOW, NOW, true],
  ]);
});
