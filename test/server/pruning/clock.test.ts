/** A clock that was set forward makes everything old. Retention waits for a day before it believes one. */
import { beforeEach, expect, it } from "vitest";
import { HOLD_MS } from "../../../src/server/pruning/clock.ts";
import { prune } from "../../../src/server/pruning/prune.ts";
import { readPruningState } from "../../../src/server/pruning/state-queries.ts";
import { DAY_MS, HOUR_MS } from "../../../src/shared/time-units.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { createEvents, sendTelemetry } from "../telemetry-helpers.ts";

const policy = { keepEventsMs: 90 * DAY_MS, keepSessionsMs: 400 * DAY_MS };
const YEARS_MS = 4000 * DAY_MS;

let service: TestService;
beforeEach(async () => {
  service = await startTestService({ clock: { now: NOW, elapsed: 0 }, pruning: policy });
  await service.addGame("maze");
  const start = NOW - 10 * DAY_MS;
  const events = createEvents(["death"], start);
  await sendTelemetry(service, { gameId: "maze", clientSessionId: "recent", sessionEnded: true, events });
  await service.analysis.drain();
  // The server has looked at the clock while it was right.
  expect(await service.pruning.drain()).toMatchObject({ events: 0 });
  return () => service.stop();
});

/** Sets the clock forward, or back, while the given time passes. */
async function jump(ms: number, passed = 10 * 60_000) {
  service.clock.now += ms + passed;
  service.clock.elapsed = (service.clock.elapsed ?? 0) + passed;
  return await service.pruning.drain();
}

const countSessions = async () =>
  (await service.service.store.readDb.selectFrom("sessions").select("id").execute()).length;
const heldUntil = async () => (await readPruningState(service.service.store.readDb)).held_until;

it("removes nothing after the clock was set forward, and reports it once", async () => {
  expect(await jump(YEARS_MS)).toBeNull();
  expect(await jump(0)).toBeNull();
  expect(await countSessions()).toBe(1);
  expect(await heldUntil()).toBe(service.clock.now - 10 * 60_000 + HOLD_MS);
  expect(service.faults).toEqual([
    "retention",
    new Error(
      "The clock has moved on by 4000 days since a server last looked at it. Nothing is removed until " +
        "2037-02-12T12:10:00.000Z: correct the clock, or run `playtest server prune` if it is right",
    ),
  ]);
});

it("prunes as before once the clock is right again", async () => {
  await jump(YEARS_MS);
  expect(await jump(-YEARS_MS)).toMatchObject({ events: 0, deletedSessions: 0 });
  expect(await heldUntil()).toBeNull();
  expect(await countSessions()).toBe(1);
});

it("believes the clock after a day, in which no other step begins", async () => {
  await jump(100 * DAY_MS);
  expect(await jump(2 * DAY_MS, HOLD_MS)).toBeNull();
  expect(await jump(0, HOLD_MS - HOUR_MS)).toBeNull();
  expect(await jump(0, HOUR_MS)).toMatchObject({ events: 1 });
  expect(await heldUntil()).toBeNull();
});

it("notices a clock that was set forward while no server was running", async () => {
  const clock = { now: NOW + YEARS_MS, elapsed: 0 };
  const { store } = service.service;
  const restarted = await startTestService({ store, continues: { ...service, clock }, pruning: policy });
  expect(await restarted.pruning.drain()).toBeNull();
  expect(await countSessions()).toBe(1);
});

it("takes a run that lasts for days for no step of the clock", async () => {
  expect(await jump(0, 3 * DAY_MS)).toMatchObject({ events: 0 });
  expect(service.faults).toEqual([]);
});

it("prunes for an operator, which shows that the clock is right", async () => {
  await jump(100 * DAY_MS);
  const { signal } = new AbortController();
  expect(await prune(service.service, policy, { signal, actor: "operator" })).toMatchObject({ events: 1 });
  expect(await jump(0)).toMatchObject({ events: 0 });
});
