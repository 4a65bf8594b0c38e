/** Walks by time: everything once whatever changes meanwhile, what they ask for, and what ends them. */

import { describe, expect, test } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { createPacer } from "../../src/client/paging.ts";
import { estimateMinutes, paginateByTime, planRequests } from "../../src/client/time-pagination.ts";
import { listSessions } from "../../src/contract/sessions.ts";
import { requireGame } from "../../src/server/games/queries.ts";
import { addSession } from "../../src/server/sessions/sessions.ts";
import { BASE_URL, NOW, startTestService, transportOf } from "../harness.ts";
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

/** The most entries that share a time. */
function crowd(entries: readonly Entry[]): number {
  const counts = new Map<number, number>();
  for (const { time } of entries) counts.set(time, (counts.get(time) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

const sorted = (ids: readonly string[]) => [...ids].sort();
const idsOf = (entries: readonly Entry[]) => sorted(entries.map(({ id }) => id));

/** Entries whose times are drawn from few, so that many share one. */
const lists = fc
  .record({
    count: fc.nat(400),
    times: fc.integer({ min: 1, max: 60 }),
    seed: fc.array(fc.nat(), { maxLength: 50 }),
  })
  .map(({ count, times, seed }) =>
    Array.from({ length: count }, (_, at): Entry => {
      const drawn = seed[at % Math.max(1, seed.length)] ?? 0;
      return {
        id: `e${((drawn * 31 + at * 7919) % 100_003) * 1000 + at}`,
        time: 1 + ((drawn + at * 13) % times),
      };
    }),
  );
const limits = fc.integer({ min: 2, max: 100 });

/** What happens after each request: so many arrive at the head or among the others, so many go. */
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

/** Whether everything came that was there all the time, and nothing twice. */
function expectComplete(before: readonly Entry[], { ids, entries, fault }: Walked) {
  expect(fault).toBeUndefined();
  expect(new Set(ids).size).toBe(ids.length);
  const stayed = new Set(entries.map(({ id }) => id));
  const came = new Set(ids);
  expect(before.filter(({ id }) => stayed.has(id) && !came.has(id))).toEqual([]);
}

describe("every item comes exactly once", () => {
  test("of a list that stands still, in order, with no more requests than pages that overlap by one item", async () => {
    await fc.assert(
      fc.asyncProperty(lists, limits, async (entries, limit) => {
        const walk = await walked({ entries }, { limit });
        expect(walk.ids).toEqual([...entries].sort(newestFirst).map(({ id }) => id));
        expect(walk.fallbacks).toEqual([]);
        expect(walk.ranges.length).toBeLessThanOrEqual(planRequests(entries.length, limit).requests);
        for (const { offset } of walk.ranges) expect(offset).toBeLessThan(Math.max(1, crowd(entries)));
      }),
      { numRuns: 300 },
    );
  });

  test("of a list that grows at its head, with no request more", async () => {
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

  test("of a list that grows anywhere and shrinks meanwhile, by windows alone where its newest time is bounded", async () => {
    await fc.assert(
      fc.asyncProperty(lists, limits, changes, async (entries, limit, plan) => {
        const change = changing(plan.map((one) => ({ ...one, among: 0 })));
        const walk = await walked({ entries, change }, { limit, to: 999 });
        expectComplete(entries, walk);
        expect(walk.fallbacks).toEqual([]);
        for (const { offset } of walk.ranges) expect(offset).toBeLessThan(crowd(entries) + limit);
        expectComplete(
          entries,
          await walked({ entries, change: changing(plan) }, { limit: Math.max(20, limit) }),
        );
      }),
      { numRuns: 500 },
    );
  });

  test("between bounds", async () => {
    const walk = await walked({ entries: entriesOf(1000, 3) }, { from: 1050, to: 1200 });
    const within = entriesOf(1000, 3).filter(({ time }) => time >= 1050 && time <= 1200);
    expect([sorted(walk.ids), walk.ranges[0]]).toEqual([
      idsOf(within),
      { from: 1050, to: 1200, limit: 100, offset: 0 },
    ]);
  });

  test("where the service's pages are smaller than asked for", async () => {
    const walk = await walked({ entries: entriesOf(500, 7), cap: 9 });
    expect([walk.ids.length, walk.fallbacks]).toEqual([500, []]);
  });
});

test("what is asked for: the bound moves, and the offset only inside a time", async () => {
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

test("a deletion of items that came does not pass over the next of their time", async () => {
  const entries = entriesOf(60, 60).map(({ id }) => ({ id, time: 7 }));
  const change: ChangingList["change"] = (list, request) =>
    request === 2 ? [...list].sort(newestFirst).slice(15) : list;
  const walk = await walked({ entries, change }, { limit: 10 });
  expectComplete(entries, walk);
  expect(walk.ids).toHaveLength(60);
  expect(walk.fallbacks).toEqual([]);
});

describe("a service that orders otherwise", () => {
  const byKind: Order = (a, b) =>
    Number(b.id.endsWith("7")) - Number(a.id.endsWith("7")) || newestFirst(a, b);
  const tiesBackwards: Order = (a, b) => b.time - a.time || (a.id < b.id ? 1 : -1);
  const scattered: Order = (a, b) => (a.id.slice(-2) + a.id < b.id.slice(-2) + b.id ? -1 : 1);

  test.each([
    ["oldest first", oldestFirst, "does not list the newest first"],
    ["ties backwards", tiesBackwards, "of the same time by id"],
    ["another field first", byKind, "lists newer items after older ones"],
    ["by another field", scattered, "does not list the newest first"],
  ])("%s: is told of once, and nothing is lost or repeated", async (_, order, reason) => {
    const walk = await walked({ entries: entriesOf(3000, 4), order });
    expect([walk.fault, sorted(walk.ids)]).toEqual([undefined, idsOf(entriesOf(3000, 4))]);
    expect(walk.fallbacks).toMatchObject([{ reason: expect.stringContaining(reason) }]);
    expect(walk.ranges.length).toBeLessThanOrEqual(planRequests(3000).requests + 3);
  });

  test("after some pages: offsets begin where the list is not known to be complete", async () => {
    // The newest thousand are in order, and below them the order turns.
    const order: Order = (a, b) => (a.time < 3000 && b.time < 3000 ? oldestFirst(a, b) : newestFirst(a, b));
    const entries = entriesOf(3000);
    const walk = await walked({ entries, order });
    expect([walk.fault, sorted(walk.ids)]).toEqual([undefined, idsOf(entries)]);
    const [fallback] = walk.fallbacks;
    expect(fallback?.at).toBeGreaterThan(10);
    const after = walk.ranges.slice(fallback?.at);
    expect(new Set(after.map(({ to }) => to)).size).toBe(1);
    expect(after[0]?.to).toBeLessThan(3110);
    expect(after.map(({ offset }) => offset).slice(0, 3)).toEqual([0, 99, 198]);
  });

  test("in any order, changing meanwhile", async () => {
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

  test("and by chance at every request ends in an error rather than in a hole", async () => {
    let turn = 0;
    const order: Order = (a, b) => {
      const rank = ({ id }: Entry) => (Number(id.slice(1)) * 7919 + turn * 104_729) % 5003;
      return rank(a) - rank(b);
    };
    const change: ChangingList["change"] = (list) => {
      turn += 1;
      return list;
    };
    const { fault } = await walked({ entries: entriesOf(5000), order, change });
    expect(fault).toMatchObject({ code: "contract" });
  });
});

describe("a service that lies ends the walk with a contract error", () => {
  const entries = entriesOf(300);
  const first = entries.slice(0, 100);
  const one = (id: string, time: number) => ({ id, time });
  let made = 0;
  const made100 = () =>
    Array.from({ length: 100 }, () => {
      made += 1;
      return one(`e${String(made).padStart(9, "0")}`, 5);
    });

  test.each<[string, NonNullable<ChangingList["lie"]>, string, number]>([
    ["an empty page and more", () => ({ items: [], total: 9, hasMore: true }), "sends nothing", 1],
    ["the first page for ever", () => ({ items: first, total: 300, hasMore: true }), "outside", 2],
    [
      "one item for ever",
      () => ({ items: [one("e", 5)], total: 300, hasMore: true }),
      "only repeats what it sent",
      15,
    ],
    [
      "a page of one time for ever",
      () => ({ items: first.map(({ id }) => one(id, 5)).reverse(), total: 300, hasMore: true }),
      "only repeats what it sent",
      15,
    ],
    [
      "new items of one time for ever",
      (_, { offset }) => ({
        items: Array.from({ length: 100 }, (_, at) => one(`e${String(offset + at).padStart(9, "0")}`, 5)),
        total: 300,
        hasMore: true,
      }),
      "does not come to an end",
      120,
    ],
    [
      "new items without an anchor for ever",
      () => ({ items: made100(), total: 300, hasMore: true }),
      "only repeats|does not come to an end|in another order",
      1200,
    ],
    [
      "older items for ever, counted anew each time",
      (page, { to = 1e12 }) => ({
        items: Array.from({ length: 100 }, (_, at) => one(`e${to - at}`, to - at)),
        total: page.total + 1000,
        hasMore: true,
      }),
      "does not come to an end",
      130,
    ],
    ["items older than asked for", (page) => ({ ...page, items: [one("old", 3)] }), "outside", 1],
  ])("%s", async (_, lie, message, most) => {
    const from = message === "outside" ? 10 : 0;
    const { fault, ranges } = await walked({ entries, lie }, { from });
    expect(fault).toMatchObject({ code: "contract", message: expect.stringMatching(message) });
    expect(ranges.length).toBeLessThanOrEqual(most);
  });

  test("but one whose totals are nothing is believed in what it sends", async () => {
    const walk = await walked({ entries, lie: (page) => ({ ...page, total: 0 }) });
    expect([walk.ids.length, walk.fault]).toEqual([300, undefined]);
  });
});

describe("the real service", () => {
  test("gives thousands of sessions that share times, while others arrive", async () => {
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
        transport: transportOf(service.app),
        waiting: { sleep: async () => {}, random: () => 0.5, onWait: () => {} },
        timeoutMs: 1000,
        maxWaitMs: 0,
      },
    );
    const offsets: number[] = [];
    const came: string[] = [];
    const fallbacks: string[] = [];
    const walk = paginateByTime({
      fetchPage: async (range) => {
        offsets.push(range.offset);
        await add(NOW + offsets.length);
        return await client.listSessions(range);
      },
      timeOf: (item) => item.recordedAt,
      idOf: (item) => item.id,
      pacer: unpaced,
      onFallback: (reason) => void fallbacks.push(reason),
    });
    for await (const { items } of walk) came.push(...items.map(({ id }) => id));
    expect(fallbacks).toEqual([]);
    // The first arrival was there before the first page was read.
    expect(came.length).toBe(3001);
    expect(sorted(came.slice(1))).toEqual(sorted(ids));
    expect(offsets.length).toBeLessThanOrEqual(planRequests(3001).requests);
    expect(Math.max(...offsets)).toBeLessThan(334);
  });
});

describe("the plan", () => {
  test.each([
    [0, { requests: 1, minutes: 0 }],
    [100, { requests: 1, minutes: 0 }],
    [101, { requests: 2, minutes: 0 }],
    [100 + 54 * 99, { requests: 55, minutes: 0 }],
    [101 + 54 * 99, { requests: 56, minutes: 1 }],
    [1_000_000, { requests: 10_101, minutes: 183 }],
  ])("of %i items", (total, plan) => {
    expect(planRequests(total)).toEqual(plan);
  });

  test("of several walks, and of none", () => {
    expect([estimateMinutes(111), estimateMinutes(0)]).toEqual([2, 0]);
  });

  test("is what a walk takes at the pacer's pace", async () => {
    const clock = { now: NOW };
    const pacer = createPacer({
      now: () => clock.now,
      async sleep(ms) {
        clock.now += ms;
      },
    });
    const { ranges } = await walked({ entries: entriesOf(12_000, 5) }, { pacer });
    const took = { requests: ranges.length, minutes: (clock.now - NOW) / 60_000 };
    expect(took).toEqual(planRequests(12_000));
  });

  test("is told on the way", async () => {
    const entries = entriesOf(250);
    const steps: string[] = [];
    const fetchPage = async ({ to = 1e9, offset }: { to?: number | undefined; offset: number }) => {
      const all = entries.filter(({ time }) => time <= to);
      const items = all.slice(offset, offset + 100);
      return { items, total: all.length, hasMore: offset + items.length < all.length };
    };
    const walk = { fetchPage, timeOf: (e: Entry) => e.time, idOf: (e: Entry) => e.id, pacer: unpaced };
    for await (const { items, number, of } of paginateByTime(walk))
      steps.push(`${items.length} ${number}/${of}`);
    expect(steps).toEqual(["100 1/3", "99 2/3", "51 3/3"]);
  });
});
