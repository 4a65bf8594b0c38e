/** Pagination by time: every item exactly once while the list changes, the requests, and the errors. */

import { describe, expect, test } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { createPacer } from "../../src/client/paging.ts";
import { estimateMinutes, paginateByTime } from "../../src/client/time-pagination.ts";
import { listSessions } from "../../src/contract/sessions.ts";
import { requireGame } from "../../src/server/games/game-queries.ts";
import { addSession } from "../../src/server/sessions/sessions.ts";
import { BASE_URL, createAppTransport, NOW, startTestService } from "../harness.ts";
import fc from "../property.ts";
import {
  type ChangingList,
  type Entry,
  entriesOf,
  newestFirst,
  type Order,
  oldestFirst,
  unpaced,
  type Walked,
  walked,
} from "./changing-list.ts";

/** The maximum number of entries with the same time. */
function countLargestTie(entries: readonly Entry[]): number {
  const counts = new Map<number, number>();
  for (const { time } of entries) counts.set(time, (counts.get(time) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

const sorted = (ids: readonly string[]) => [...ids].sort();
const sortedIds = (entries: readonly Entry[]) => sorted(entries.map(({ id }) => id));

/** Entries with few distinct times, so that many share one. */
const lists = fc
  .record({
    count: fc.nat(400),
    times: fc.integer({ min: 1, max: 60 }),
    seed: fc.array(fc.nat(), { maxLength: 50 }),
  })
  .map(({ count, times, seed }) =>
    Array.from({ length: count }, (_, at): Entry => {
      const random = seed[at % Math.max(1, seed.length)] ?? 0;
      return {
        id: `e${((random * 31 + at * 7919) % 100_003) * 1000 + at}`,
        time: 1 + ((random + at * 13) % times),
      };
    }),
  );
const limits = fc.integer({ min: 2, max: 100 });

/** Changes after each request: arrivals at the head or in the middle, and deletions. */
const changes = fc.array(
  fc.record({ arrive: fc.nat(5), among: fc.nat(2), go: fc.array(fc.nat(), { maxLength: 4 }) }),
  { maxLength: 40 },
);

type Change = { readonly arrive: number; readonly among: number; readonly go: readonly number[] };

function changing(plan: readonly Change[]): NonNullable<ChangingList["change"]> {
  return (entries, request) => {
    const { arrive = 0, among = 0, go = [] } = plan[request - 1] ?? {};
    const gone = new Set(go.map((at) => entries[at % Math.max(1, entries.length)]?.id));
    const head = Array.from({ length: arrive }, (_, at) => ({
      id: `new${request}-${at}`,
      time: 1000 + request,
    }));
    const middle = Array.from({ length: among }, (_, at) => ({
      id: `a-late${request}-${at}`,
      time: entries[(request * 7 + at) % Math.max(1, entries.length)]?.time ?? 1,
    }));
    return [...head, ...middle, ...entries.filter(({ id }) => !gone.has(id))];
  };
}

/** Expects every item that existed the whole time exactly once. */
function expectComplete(before: readonly Entry[], { ids, entries, fault }: Walked) {
  expect(fault).toBeUndefined();
  expect(new Set(ids).size).toBe(ids.length);
  const remaining = new Set(entries.map(({ id }) => id));
  const read = new Set(ids);
  expect(before.filter(({ id }) => remaining.has(id) && !read.has(id))).toEqual([]);
}

/** The requests for a number of items, of which each page after the first repeats one, and the minutes that pacing adds. */
function planRequests(total: number, limit = 100): { requests: number; minutes: number } {
  const requests = 1 + Math.ceil(Math.max(0, total - limit) / (limit - 1));
  return { requests, minutes: estimateMinutes(requests) };
}

describe("reads every item exactly once", () => {
  test("from an unchanged list, in order, with the planned number of requests", async () => {
    await fc.assert(
      fc.asyncProperty(lists, limits, async (entries, limit) => {
        const walk = await walked({ entries }, { limit });
        expect(walk.ids).toEqual([...entries].sort(newestFirst).map(({ id }) => id));
        expect(walk.fallbacks).toEqual([]);
        expect(walk.ranges.length).toBeLessThanOrEqual(planRequests(entries.length, limit).requests);
        for (const { offset } of walk.ranges)
          expect(offset).toBeLessThan(Math.max(1, countLargestTie(entries)));
      }),
      { numRuns: 300 },
    );
  });

  test("from a list that grows at its head, without more requests", async () => {
    await fc.assert(
      fc.asyncProperty(lists, limits, changes, async (entries, limit, plan) => {
        const change = changing(plan.map((one) => ({ ...one, among: 0, go: [] })));
        const walk = await walked({ entries, change }, { limit });
        expect(walk.ids).toEqual([...entries].sort(newestFirst).map(({ id }) => id));
        expect(walk.ranges.length).toBeLessThanOrEqual(planRequests(entries.length, limit).requests);
      }),
      { numRuns: 300 },
    );
  });

  test("from a list that grows and shrinks anywhere, without the fallback if `to` is set", async () => {
    await fc.assert(
      fc.asyncProperty(lists, limits, changes, async (entries, limit, plan) => {
        const change = changing(plan.map((one) => ({ ...one, among: 0 })));
        const walk = await walked({ entries, change }, { limit, to: 999 });
        expectComplete(entries, walk);
        expect(walk.fallbacks).toEqual([]);
        for (const { offset } of walk.ranges) expect(offset).toBeLessThan(countLargestTie(entries) + limit);
        expectComplete(
          entries,
          await walked({ entries, change: changing(plan) }, { limit: Math.max(20, limit) }),
        );
      }),
      { numRuns: 500 },
    );
  });

  test("between two times", async () => {
    const walk = await walked({ entries: entriesOf(1000, 3) }, { from: 1050, to: 1200 });
    const within = entriesOf(1000, 3).filter(({ time }) => time >= 1050 && time <= 1200);
    expect([sorted(walk.ids), walk.ranges[0]]).toEqual([
      sortedIds(within),
      { from: 1050, to: 1200, limit: 100, offset: 0 },
    ]);
  });

  test("from a service with smaller pages than requested", async () => {
    const walk = await walked({ entries: entriesOf(500, 7), cap: 9 });
    expect([walk.ids.length, walk.fallbacks]).toEqual([500, []]);
  });
});

test("moves the upper time limit, and the offset only among items with the same time", async () => {
  const entries = [
    ...["a", "b", "c", "d", "e"].map((id) => ({ id, time: 50 })),
    { id: "f", time: 40 },
    { id: "g", time: 30 },
  ];
  const { ranges } = await walked({ entries }, { limit: 3 });
  expect(ranges.map(({ to, offset }) => [to, offset])).toEqual([
    [undefined, 0],
    [50, 2],
    [50, 4],
  ]);
});

test("does not skip items when items with the same time are deleted", async () => {
  const entries = entriesOf(60, 60).map(({ id }) => ({ id, time: 7 }));
  const change: ChangingList["change"] = (list, request) =>
    request === 2 ? [...list].sort(newestFirst).slice(15) : list;
  const walk = await walked({ entries, change }, { limit: 10 });
  expectComplete(entries, walk);
  expect(walk.ids).toHaveLength(60);
  expect(walk.fallbacks).toEqual([]);
});

describe("a service with another order", () => {
  const byKind: Order = (a, b) =>
    Number(b.id.endsWith("7")) - Number(a.id.endsWith("7")) || newestFirst(a, b);
  const tiesBackwards: Order = (a, b) => b.time - a.time || (a.id < b.id ? 1 : -1);
  const scattered: Order = (a, b) => (a.id.slice(-2) + a.id < b.id.slice(-2) + b.id ? -1 : 1);

  test.each([
    ["oldest first", oldestFirst, "does not return the newest items first"],
    ["ties backwards", tiesBackwards, "with the same time by id"],
    ["another field first", byKind, "returns newer items after older ones"],
    ["by another field", scattered, "does not return the newest items first"],
  ])("%s: is reported once, without missing or repeated items", async (_, order, reason) => {
    const walk = await walked({ entries: entriesOf(3000, 4), order });
    expect([walk.fault, sorted(walk.ids)]).toEqual([undefined, sortedIds(entriesOf(3000, 4))]);
    expect(walk.fallbacks).toMatchObject([{ reason: expect.stringContaining(reason) }]);
    expect(walk.ranges.length).toBeLessThanOrEqual(planRequests(3000).requests + 3);
  });

  test("after some pages: offsets start where the list may be incomplete", async () => {
    // The newest thousand entries are sorted correctly, the others in reverse.
    const order: Order = (a, b) => (a.time < 3000 && b.time < 3000 ? oldestFirst(a, b) : newestFirst(a, b));
    const entries = entriesOf(3000);
    const walk = await walked({ entries, order });
    expect([walk.fault, sorted(walk.ids)]).toEqual([undefined, sortedIds(entries)]);
    const [fallback] = walk.fallbacks;
    expect(fallback?.at).toBeGreaterThan(10);
    const after = walk.ranges.slice(fallback?.at);
    expect(new Set(after.map(({ to }) => to)).size).toBe(1);
    expect(after[0]?.to).toBeLessThan(3110);
    expect(after.map(({ offset }) => offset).slice(0, 3)).toEqual([0, 99, 198]);
  });

  test("that is arbitrary: is read completely while the list changes", async () => {
    const orders = fc.constantFrom(oldestFirst, byKind, tiesBackwards, scattered);
    await fc.assert(
      fc.asyncProperty(
        lists,
        orders,
        changes,
        fc.integer({ min: 20, max: 100 }),
        async (entries, order, plan, limit) => {
          expectComplete(entries, await walked({ entries, order, change: changing(plan) }, { limit }));
        },
      ),
      { numRuns: 300 },
    );
  });

  test("that is random for every request: ends with an error instead of missing items", async () => {
    let turn = 0;
    const order: Order = (a, b) => {
      const rank = ({ id }: Entry) => (Number(id.slice(1)) * 7919 + turn * 104_729) % 5003;
      return rank(a) - rank(b);
    };
    const change: ChangingList["change"] = (list) => {
      turn += 1;
      return list;
    };
    const { fault } = await walked({ entries: entriesOf(1500), order, change });
    expect(fault).toMatchObject({ code: "contract" });
  });
});

describe("a faulty service causes a contract error", () => {
  const entries = entriesOf(300);
  const first = entries.slice(0, 100);
  const createEntry = (id: string, time: number) => ({ id, time });
  let created = 0;
  const create100 = () =>
    Array.from({ length: 100 }, () => {
      created += 1;
      return createEntry(`e${String(created).padStart(9, "0")}`, 5);
    });

  test.each<[string, NonNullable<ChangingList["lie"]>, string, number]>([
    ["an empty page with hasMore", () => ({ items: [], total: 9, hasMore: true }), "but returns none", 1],
    ["the first page forever", () => ({ items: first, total: 300, hasMore: true }), "outside", 2],
    [
      "one item forever",
      () => ({ items: [createEntry("e", 5)], total: 300, hasMore: true }),
      "keeps returning the same ones",
      15,
    ],
    [
      "a page of one time forever",
      () => ({ items: first.map(({ id }) => createEntry(id, 5)).reverse(), total: 300, hasMore: true }),
      "keeps returning the same ones",
      15,
    ],
    [
      "new items of one time forever",
      (_, { offset }) => ({
        items: Array.from({ length: 100 }, (_, at) =>
          createEntry(`e${String(offset + at).padStart(9, "0")}`, 5),
        ),
        total: 300,
        hasMore: true,
      }),
      "does not end",
      120,
    ],
    [
      "new items without a known item forever",
      () => ({ items: create100(), total: 300, hasMore: true }),
      "keeps returning|does not end|order is not stable",
      1200,
    ],
    [
      "older items forever, with a growing total",
      (page, { to = 1e12 }) => ({
        items: Array.from({ length: 100 }, (_, at) => createEntry(`e${to - at}`, to - at)),
        total: page.total + 1000,
        hasMore: true,
      }),
      "does not end",
      130,
    ],
    ["items older than requested", (page) => ({ ...page, items: [createEntry("old", 3)] }), "outside", 1],
  ])("that returns %s", async (_, lie, message, maxRequests) => {
    const from = message === "outside" ? 10 : 0;
    const { fault, ranges } = await walked({ entries, lie }, { from });
    expect(fault).toMatchObject({ code: "contract", message: expect.stringMatching(message) });
    expect(ranges.length).toBeLessThanOrEqual(maxRequests);
  });

  test("unless only its totals are wrong", async () => {
    const walk = await walked({ entries, lie: (page) => ({ ...page, total: 0 }) });
    expect([walk.ids.length, walk.fault]).toEqual([300, undefined]);
  });
});

describe("the real service", () => {
  test("returns thousands of sessions with shared times while others arrive", async () => {
    const service = await startTestService();
    await service.analysis.stop();
    await service.addGame("ember");
    const game = await requireGame(service.service.store.writeDb, service.accountId, "ember");
    const add = async (recordedAt: number) => {
      const details = { source: "manual", status: "transcribing", title: "T", recordedAt } as const;
      return (await addSession(service.service.store.writeDb, service.service, game, details)).id;
    };
    const ids: string[] = [];
    for (let n = 0; n < 3000; n += 1)
      ids.push(await add(NOW - (n % 9 === 0 ? 500 : Math.floor(n / 40)) * 1000));
    const client = createClient(
      { listSessions },
      {
        baseUrl: BASE_URL,
        key: service.keys.management,
        transport: createAppTransport(service.app),
        waiting: { sleep: async () => {}, random: () => 0.5, onWait: () => {} },
        timeoutMs: 1000,
        maxWaitMs: 0,
      },
    );
    const offsets: number[] = [];
    const read: string[] = [];
    const fallbacks: string[] = [];
    const walk = paginateByTime({
      fetchPage: async (range) => {
        offsets.push(range.offset);
        await add(NOW + offsets.length);
        return await client.listSessions(range);
      },
      getTime: (item) => item.recordedAt,
      getId: (item) => item.id,
      pacer: unpaced,
      onFallback: (reason) => void fallbacks.push(reason),
    });
    for await (const items of walk) read.push(...items.map(({ id }) => id));
    expect(fallbacks).toEqual([]);
    // The first arrival was added before the first page was read.
    expect(read.length).toBe(3001);
    expect(sorted(read.slice(1))).toEqual(sorted(ids));
    expect(offsets.length).toBeLessThanOrEqual(planRequests(3001).requests);
    expect(Math.max(...offsets)).toBeLessThan(334);
  });
});

describe("the estimate", () => {
  test.each([
    [0, { requests: 1, minutes: 0 }],
    [100, { requests: 1, minutes: 0 }],
    [101, { requests: 2, minutes: 0 }],
    [100 + 54 * 99, { requests: 55, minutes: 0 }],
    [101 + 54 * 99, { requests: 56, minutes: 1 }],
    [1_000_000, { requests: 10_101, minutes: 183 }],
  ])("for %i items", (total, plan) => {
    expect(planRequests(total)).toEqual(plan);
  });

  test("in minutes, for several lists and for none", () => {
    expect([estimateMinutes(111), estimateMinutes(0)]).toEqual([2, 0]);
  });

  test("matches the actual requests and time with pacing", async () => {
    const clock = { now: NOW };
    const pacer = createPacer({
      now: () => clock.now,
      async sleep(ms) {
        clock.now += ms;
      },
    });
    const { ranges } = await walked({ entries: entriesOf(12_000, 5) }, { pacer });
    const actual = { requests: ranges.length, minutes: (clock.now - NOW) / 60_000 };
    expect(actual).toEqual(planRequests(12_000));
  });
});
