/** The hours of a game with changes since a cursor. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { MAX_CHANGED_HOURS } from "../../../src/contract/session-events.ts";
import { recordSessionChange } from "../../../src/server/sessions/change-queries.ts";
import { HOUR_MS } from "../../../src/shared/time-units.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { createEvents, sendTelemetry } from "../telemetry-helpers.ts";

const HOUR = Math.floor(NOW / HOUR_MS) * HOUR_MS;
let service: TestService;
let gameId: string;
beforeEach(async () => {
  service = await startTestService({ clock: { now: NOW } });
  gameId = await service.addGame("ember");
});
afterEach(async () => await service.stop());

const read = async (since?: string) =>
  (await service.get(`/api/v1/changes/ember${since === undefined ? "" : `?since=${since}`}`)).json;
const record = (time: number) =>
  service.service.store.write((db) => recordSessionChange(db, gameId, time, service.clock.now));

it("starts without hours, and then returns those that changed", async () => {
  await record(NOW - 100 * HOUR_MS);
  service.clock.now += 2 * HOUR_MS;
  const start = await read();
  expect([start.hours, start.hasMore]).toEqual([[], false]);
  expect((await read(start.cursor)).hours).toEqual([]);
  await record(NOW - 200 * HOUR_MS);
  const next = await read(start.cursor);
  expect(next.hours).toEqual([HOUR - 200 * HOUR_MS]);
  // Changes of the last hour are repeated, because others of that time may be committed later.
  expect((await read(next.cursor)).hours).toEqual([HOUR - 200 * HOUR_MS]);
  service.clock.now += 2 * HOUR_MS;
  const later = await read(next.cursor);
  expect((await read(later.cursor)).hours).toEqual([]);
});

it("returns every hour on pages, also those that change meanwhile", async () => {
  const { cursor: start } = await read();
  const hours = Array.from({ length: MAX_CHANGED_HOURS + 5 }, (_, index) => HOUR - index * HOUR_MS);
  await service.service.store.write(async (db) => {
    for (const hour of hours) await recordSessionChange(db, gameId, hour, service.clock.now);
  });
  const first = await read(start);
  expect([first.hours.length, first.hasMore]).toEqual([MAX_CHANGED_HOURS, true]);
  await record(HOUR - 5 * HOUR_MS);
  const second = await read(first.cursor);
  expect(second.hasMore).toBe(false);
  expect(second.hours).toEqual([...hours.slice(MAX_CHANGED_HOURS), HOUR - 5 * HOUR_MS]);
});

it("records sessions, their analysis and later batches, by the hour of their start", async () => {
  const send = (events: ReturnType<typeof createEvents>) =>
    sendTelemetry(service, { gameId: "ember", clientSessionId: "c", startedAt: NOW, events });
  const changed = async (since: string) => (await read(since)).hours.includes(HOUR);
  const step = async (change: () => Promise<unknown>) => {
    service.clock.now += 2 * HOUR_MS;
    const { cursor } = await read();
    expect(await changed(cursor)).toBe(false);
    service.clock.now += 2 * HOUR_MS;
    await change();
    return await changed(cursor);
  };
  expect(await step(async () => await send(createEvents(["a"])))).toBe(true);
  expect(await step(async () => await service.analysis.drain())).toBe(true);
  expect(await step(async () => await send([{ id: "late", name: "b", timestamp: NOW + 1 }]))).toBe(true);
});

it("refuses a cursor that it has not returned, and an unknown game", async () => {
  const answer = await service.get("/api/v1/changes/ember?since=nonsense");
  expect([answer.status, answer.json.error]).toEqual([400, expect.stringContaining("is not a cursor")]);
  expect((await service.get("/api/v1/changes/none")).status).toBe(404);
});
