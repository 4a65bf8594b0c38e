/** Event counts equal a recount of the stored events, whatever compaction, ingest and deletions do at the same time. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { EventCounts } from "../../../src/contract/events.ts";
import { readCounters, recountRows } from "../../faults/recount.ts";
import { engine, NOW, startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";
import { DAY, type PastSession, removeSession, sendPastSession } from "./past-sessions.ts";

let service: TestService;
let games = 0;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const day = fc.constantFrom(0, 1, 2, 3, 31, 32, 33, 64, 200);
const session = fc.record({
  daysAgo: day,
  build: fc.constantFrom("1.0", "1.1"),
  env: fc.constantFrom("production", "staging"),
});
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      send: fc.nat({ max: 5 }),
      names: fc.array(fc.constantFrom("a", "b", "c", "__proto__"), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant("compact" as const) },
  { weight: 1, arbitrary: fc.record({ remove: fc.nat({ max: 5 }) }) },
);

/** The counts by name in production of a range, from the stored events. */
function countStored(
  counters: Readonly<Record<string, number>>,
  gameId: string,
  start: number,
  end: number,
): Map<string, number> {
  const byName = new Map<string, number>();
  for (const [key, count] of Object.entries(counters)) {
    const [game, , env, counted, name] = JSON.parse(key) as [string, string, string, number, string];
    const matches = game === gameId && env === "production";
    if (matches && counted * DAY >= start && counted * DAY <= end)
      byName.set(name, (byName.get(name) ?? 0) + count);
  }
  return byName;
}

/** Adds up the counts of all days of a range. */
async function addDays(slug: string, start: number, end: number): Promise<Map<string, number>> {
  const byName = new Map<string, number>();
  for (let from: number | null = start; from !== null; ) {
    const query = `by=day&env=production&from=${from}&to=${end}`;
    const { json } = await service.get(`/api/v1/event-counts/${slug}?${query}`);
    for (const [name, count] of json.items.flatMap((item: EventCounts) => Object.entries(item.byName)))
      byName.set(name, (byName.get(name) ?? 0) + count);
    from = json.next;
  }
  return byName;
}

/** The sums of ranges, and the counts by day, agree with the stored events. */
async function expectRanges(slug: string, gameId: string): Promise<void> {
  const counters = await recountRows(service.service.store);
  const midnight = NOW - (NOW % DAY);
  for (const [first, last] of [
    [201, 0],
    [64, 32],
    [40, 2],
    [3, 1],
  ] as const) {
    const [start, end] = [midnight - first * DAY, midnight - last * DAY + DAY - 1];
    const expected = countStored(counters, gameId, start, end);
    const sums = await service.get(`/api/v1/events/${slug}?env=production&from=${start}&to=${end}`);
    expect(new Map(Object.entries(sums.json.byName))).toEqual(expected);
    expect(await addDays(slug, start, end)).toEqual(expected);
  }
}

it("counts by day equal a recount of the events after any telemetry, deletions and compactions", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(session, { minLength: 6, maxLength: 6 }),
      fc.array(step, { minLength: 4, maxLength: 14 }),
      async (sessions, steps) => {
        const slug = `game-${++games}`;
        const gameId = await service.addGame(slug);
        const ids = new Map<number, string>();
        const removed = new Set<number>();
        for (const [number, current] of steps.entries()) {
          if (current === "compact") await service.eventCompaction.drain();
          else if ("remove" in current) {
            const id = ids.get(current.remove);
            if (id !== undefined && !removed.has(current.remove)) await removeSession(service, id);
            removed.add(current.remove);
          } else if (!removed.has(current.send)) {
            const names = [...current.names, `n${number}`];
            // Compaction may run at the same time.
            const [id] = await Promise.all([
              sendPastSession(
                service,
                slug,
                `s${current.send}`,
                sessions[current.send] as PastSession,
                names,
              ),
              number % 3 === 0 ? service.eventCompaction.drain() : null,
            ]);
            ids.set(current.send, id);
          }
        }
        const { store } = service.service;
        expect(await readCounters(store)).toEqual(await recountRows(store));
        await expectRanges(slug, gameId);
      },
    ),
    { numRuns: engine === "postgres" ? 8 : 25 },
  );
});
