/** The size of a session: what exceeds it is refused, and what it has stays readable. */
import { afterEach, describe, expect, it } from "vitest";
import { defaultSessionLimits, type SessionLimits } from "../../../src/server/telemetry/session-limits.ts";
import { parseSize } from "../../../src/shared/sizes.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { createEvents, readSession, readSessionRow, type SentEvent } from "../telemetry-helpers.ts";

let service: TestService;

afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

async function start(sessionLimits?: Partial<SessionLimits>): Promise<void> {
  service = await startTestService(sessionLimits ? { sessionLimits } : {});
  await service.addGame("maze");
}

async function send(events: readonly (SentEvent | number)[], more: object = {}) {
  const body = { gameId: "maze", clientSessionId: "one", events, ...more };
  const { status, json } = await service.post("/api/telemetry", body);
  expect(status).toBe(202);
  return json as {
    readonly sessionId: string;
    readonly accepted: number;
    readonly duplicates: number;
    readonly rejected: readonly { readonly index: number; readonly error: string }[];
  };
}

const named = (prefix: string, count: number, data?: Record<string, unknown>): SentEvent[] =>
  createEvents(Array.from({ length: count }, () => "move")).map((event) => ({
    ...event,
    id: `${prefix}${event.id}`,
    ...(data ? { data } : {}),
  }));

describe("a session with the maximum of events", () => {
  const error = "session is full: it may have 10 events";

  it("accepts events up to the maximum, and refuses the rest one by one", async () => {
    await start({ events: 10 });
    expect(await send(named("a", 8))).toMatchObject({ accepted: 8, rejected: [] });
    expect(await send([7, ...named("b", 4)])).toMatchObject({
      accepted: 2,
      duplicates: 0,
      rejected: [
        { index: 0, error: "event must be a JSON object" },
        { index: 3, error },
        { index: 4, error },
      ],
    });
    expect(await send(named("c", 1))).toMatchObject({ accepted: 0, rejected: [{ index: 0, error }] });
    expect(await send(named("d", 1), { clientSessionId: "two" })).toMatchObject({ accepted: 1 });
  });

  it("counts repeated events once", async () => {
    await start({ events: 10 });
    await send(named("a", 4));
    expect(await send(named("a", 4))).toMatchObject({ accepted: 0, duplicates: 4, rejected: [] });
    expect(await send(named("b", 6))).toMatchObject({ accepted: 6, rejected: [] });
  });

  it("ends, is analyzed, and keeps what it has", async () => {
    await start({ events: 10 });
    const { sessionId } = await send(named("a", 12));
    await send(named("b", 1), { sessionEnded: true });
    await service.analysis.drain();
    expect((await readSession(service, sessionId)).session).toMatchObject({
      status: "analyzed",
    });
    expect(await readSessionRow(service, sessionId)).toMatchObject({ stored_events: 10, ended: 1 });
  });

  it("is shown by the tail", async () => {
    await start({ events: 2 });
    await send(named("a", 3), { deviceId: "dev_1" });
    await service.service.arrivals.flush();
    const { json } = await service.get("/api/v1/telemetry/tail?kind=refusal");
    expect(json.items).toMatchObject([
      {
        deviceId: "dev_1",
        refusal: { reason: "session_full", message: "session is full: it may have 2 events", index: 2 },
      },
    ]);
  });
});

describe("a session with the maximum of bytes", () => {
  it("refuses a request that would exceed it, and accepts smaller ones until it is full", async () => {
    await start({ bytes: 3000 });
    const large = { text: "x".repeat(2000) };
    expect(await send(named("a", 1, large))).toMatchObject({ accepted: 1 });
    const { rejected } = await send(named("b", 1, large));
    expect(rejected).toEqual([{ index: 0, error: "session is full: it may have 3 kB" }]);
    expect(await send(named("c", 1))).toMatchObject({ accepted: 1 });
    for (let n = 0; n < 30; n += 1) await send(named(`d${n}`, 1, { text: "y".repeat(200) }));
    const [row] = await service.service.store.readDb.selectFrom("sessions").selectAll().execute();
    expect(Number(row?.stored_bytes)).toBeGreaterThan(2700);
    expect(Number(row?.stored_bytes)).toBeLessThanOrEqual(3000);
  });

  it("counts positions, and the rows of their rooms", async () => {
    await start({ bytes: 100_000 });
    const positions = (prefix: string) =>
      Array.from({ length: 100 }, (_, n) => ({
        id: `${prefix}${n}`,
        name: "player_pos",
        timestamp: NOW + n,
        data: { x: n, y: n, room: `${prefix}-${n}` },
      }));
    expect(await send(positions("a"))).toMatchObject({ accepted: 100 });
    expect(await send(positions("b"))).toMatchObject({ accepted: 0 });
  });
});

it("is 200,000 events and 64 MB by default", async () => {
  await start();
  expect(service.service.sessionLimits).toEqual(defaultSessionLimits);
  expect(defaultSessionLimits).toEqual({ events: 200_000, bytes: parseSize("64MB") });
});
