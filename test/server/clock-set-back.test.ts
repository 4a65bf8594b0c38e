/** A service whose clock is set back, for example by a time server: no wait becomes longer than a multiple of its length. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LEASE_MS, nextDueTime, requestReanalysis } from "../../src/server/analysis/queue-queries.ts";
import { SESSION_IDLE_TIMEOUT_MS } from "../../src/server/sessions/durations.ts";
import { DAY_MS, MINUTE_MS } from "../../src/shared/time-units.ts";
import { NOW, startTestService, type TestService } from "../harness.ts";
import { changeSession, createEvents, readSessionRow, sendTelemetry } from "./telemetry-helpers.ts";

let service: TestService;
let gameId: string;

beforeEach(async () => {
  service = await startTestService();
  gameId = await service.addGame("maze");
});

afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const send = async (more: object = {}) =>
  await sendTelemetry(service, { gameId: "maze", events: createEvents(["a", "b"]), ...more });

describe("an analysis", () => {
  it("of a session that ended while the clock was ahead is due within an hour", async () => {
    const id = await send();
    expect((await readSessionRow(service, id)).analysis_due).toBe(NOW + SESSION_IDLE_TIMEOUT_MS);
    service.clock.now -= DAY_MS;
    await service.analysis.drain();
    expect(await readSessionRow(service, id)).toMatchObject({ status: "pending" });
    service.clock.now += SESSION_IDLE_TIMEOUT_MS;
    await service.analysis.drain();
    expect(await readSessionRow(service, id)).toMatchObject({ status: "analyzed", analysis_due: null });
  });

  it("that waits for a session that is still played keeps its time", async () => {
    const id = await send();
    service.clock.now -= MINUTE_MS;
    await service.analysis.drain();
    expect((await readSessionRow(service, id)).analysis_due).toBe(NOW + SESSION_IDLE_TIMEOUT_MS);
  });

  it("that was requested while the clock was ahead is repeated", async () => {
    const id = await send({ sessionEnded: true });
    await service.analysis.drain();
    await requestReanalysis(service.service.store.writeDb, gameId, [id], NOW + DAY_MS);
    await service.analysis.drain();
    expect(await readSessionRow(service, id)).toMatchObject({ status: "analyzed", reanalysis_due: null });
  });

  it("does not wait for the lease of a process that died while the clock was ahead", async () => {
    const id = await send({ sessionEnded: true });
    const died = { status: "processing" as const, analysis_due: NOW, analysis_attempts: 1 };
    await changeSession(service, id, { ...died, analysis_lease: NOW + DAY_MS });
    await service.analysis.drain();
    expect(await readSessionRow(service, id)).toMatchObject({ status: "analyzed", analysis_lease: null });
  });

  it("waits for the lease of a server whose clock is slightly ahead", async () => {
    const id = await send();
    const lease = NOW + 2 * LEASE_MS;
    await changeSession(service, id, { status: "processing", analysis_due: NOW, analysis_lease: lease });
    await service.analysis.drain();
    expect(await readSessionRow(service, id)).toMatchObject({ analysis_lease: lease });
    expect(await nextDueTime(service.service.store.readDb, NOW)).toBe(lease);
  });
});

describe("the window of a chat thread", () => {
  const call = async () =>
    (
      await service.post(
        `/api/webhooks/discord?key=${service.keys.management}`,
        { channel_id: "c1", game: "maze" },
        { key: null },
      )
    ).status;

  it("ends if the last call is far in the future", async () => {
    expect([await call(), await call()]).toEqual([201, 200]);
    service.clock.now -= DAY_MS;
    expect([await call(), await call()]).toEqual([201, 200]);
  });

  it("remains open after a small step back", async () => {
    expect(await call()).toBe(201);
    service.clock.now -= MINUTE_MS;
    expect(await call()).toBe(200);
    service.clock.now += 29 * MINUTE_MS;
    expect(await call()).toBe(200);
  });
});
