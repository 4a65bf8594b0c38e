/** Event counts stay exact while they move into blocks, next to ingest and deletions, and deleted names leave the blocks. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EventCounts } from "../../../src/contract/event-counts.ts";
import { deleteSession } from "../../../src/server/erasure/delete-session.ts";
import { listDayCounts } from "../../../src/server/telemetry/event-block.ts";
import { isCompactionDue, UPGRADE_DELAY_MS } from "../../../src/server/telemetry/event-compaction.ts";
import { readCounters, recountRows } from "../../faults/recount.ts";
import { engine, NOW, startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";
import { createEvents, readSessionRow, sendTelemetry } from "../telemetry-helpers.ts";

const DAY = 24 * 3600_000;
let service: TestService;
let games = 0;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

async function addGame() {
  const slug = `game-${++games}`;
  return { slug, id: await service.addGame(slug) };
}

async function readStored(gameId: string) {
  const { readDb } = service.service.store;
  const rows = await readDb
    .selectFrom("event_rollups")
    .selectAll()
    .where("game_id", "=", gameId)
    .orderBy("day")
    .execute();
  const blocks = await readDb
    .selectFrom("event_count_blocks")
    .selectAll()
    .where("game_id", "=", gameId)
    .orderBy("block")
    .execute();
  return { rows, blocks, text: JSON.stringify([rows, blocks.map(({ names }) => names)]) };
}

interface Session {
  readonly daysAgo: number;
  readonly build: string;
  readonly env: string;
}

const send = (slug: string, name: string, { daysAgo, build, env }: Session, names: readonly string[]) =>
  sendTelemetry(service, {
    ...{ gameId: slug, clientSessionId: name, environment: env, sessionMetadata: { gameVersion: build } },
    startedAt: NOW - daysAgo * DAY,
    events: createEvents(names, NOW - daysAgo * DAY).map((event, at) => ({
      ...event,
      id: `${names.join()}-${at}`,
    })),
  });

const remove = async (id: string) =>
  await deleteSession(service.service, service.accountId, await readSessionRow(service, id));

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
  const { event_rollups: counters } = await recountRows(service.service.store);
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
        const { slug, id: gameId } = await addGame();
        const ids = new Map<number, string>();
        const removed = new Set<number>();
        for (const [number, current] of steps.entries()) {
          if (current === "compact") await service.eventCompaction.drain();
          else if ("remove" in current) {
            const id = ids.get(current.remove);
            if (id !== undefined && !removed.has(current.remove)) await remove(id);
            removed.add(current.remove);
          } else if (!removed.has(current.send)) {
            const names = [...current.names, `n${number}`];
            // Compaction may run at the same time.
            const [id] = await Promise.all([
              send(slug, `s${current.send}`, sessions[current.send] as Session, names),
              number % 3 === 0 ? service.eventCompaction.drain() : null,
            ]);
            ids.set(current.send, id);
          }
        }
        const { store } = service.service;
        expect((await readCounters(store)).event_rollups).toEqual((await recountRows(store)).event_rollups);
        await expectRanges(slug, gameId);
      },
    ),
    { numRuns: engine === "postgres" ? 8 : 25 },
  );
}, 60_000);

describe("compaction of event counts", () => {
  it("moves all days but today and yesterday, and adds late events to them", async () => {
    const { slug, id } = await addGame();
    for (const daysAgo of [0, 1, 2, 40])
      await send(slug, `s${daysAgo}`, { daysAgo, build: "1.0", env: "production" }, ["jump"]);
    await service.eventCompaction.drain();
    const today = Math.floor(NOW / DAY);
    const { rows, blocks } = await readStored(id);
    expect(rows.map((row) => row.day)).toEqual([today - 1, today]);
    expect(blocks.flatMap((block) => listDayCounts(block))).toEqual([
      { name: "jump", day: today - 40, count: 1 },
      { name: "jump", day: today - 2, count: 1 },
    ]);
    await send(slug, "s2", { daysAgo: 2, build: "1.0", env: "production" }, ["jump", "late"]);
    expect((await readStored(id)).rows).toHaveLength(4);
    const before = (await service.get(`/api/v1/events/${slug}?from=0`)).json;
    await service.eventCompaction.drain();
    expect((await readStored(id)).rows).toHaveLength(2);
    expect((await service.get(`/api/v1/events/${slug}?from=0`)).json).toEqual(before);
    expect(before.byName).toEqual({ jump: 5, late: 1 });
  });

  it("a deletion removes names and builds of the session from blocks at once", async () => {
    const { slug, id: gameId } = await addGame();
    const old = { daysAgo: 40, build: "1.0", env: "production" };
    const kept = await send(slug, "kept", old, ["jump"]);
    const removed = await send(slug, "removed", old, ["jump", "player-jane"]);
    const alone = await send(slug, "alone", { ...old, build: "jane-build" }, ["jump"]);
    await service.eventCompaction.drain();
    // Events that are not yet in a block.
    await send(slug, "removed", old, ["player-jane", "more"]);
    expect((await readStored(gameId)).text).toContain("jane");
    await remove(removed);
    await remove(alone);
    const { rows, blocks, text } = await readStored(gameId);
    expect([rows, blocks.length, text]).toEqual([[], 1, expect.not.stringContaining("jane")]);
    const from = NOW - 60 * DAY;
    expect((await service.get(`/api/v1/events/${slug}?from=${from}`)).json.byName).toEqual({ jump: 1 });
    await remove(kept);
    expect((await readStored(gameId)).blocks).toEqual([]);
  });

  it("leaves the rows of a damaged block, and continues with other blocks", async () => {
    const { slug, id } = await addGame();
    const send40 = (name: string, build: string) =>
      send(slug, name, { daysAgo: 40, build, env: "production" }, ["jump"]);
    await send40("one", "1.0");
    await service.eventCompaction.drain();
    const { writeDb } = service.service.store;
    await writeDb.updateTable("event_count_blocks").set({ names: "[" }).where("game_id", "=", id).execute();
    await send40("two", "1.0");
    await send40("three", "1.1");
    await service.eventCompaction.drain();
    const { rows, blocks } = await readStored(id);
    expect(rows.map(({ build, count }) => [build, Number(count)])).toEqual([["1.0", 1]]);
    expect(blocks.map(({ build }) => build)).toEqual(["1.0", "1.1"]);
    await writeDb.deleteFrom("event_count_blocks").where("game_id", "=", id).execute();
    await writeDb.deleteFrom("event_rollups").where("game_id", "=", id).execute();
  });

  it("crashes are found on days whose counts are in blocks", async () => {
    const { slug } = await addGame();
    await send(slug, "crashed", { daysAgo: 40, build: "1.0", env: "production" }, ["jump", "crash_reported"]);
    await send(slug, "quoted", { daysAgo: 80, build: "1.0", env: "production" }, ['not a "crash_reported"']);
    const before = (await service.get(`/api/v1/crashes/${slug}`)).json;
    await service.eventCompaction.drain();
    expect((await service.get(`/api/v1/crashes/${slug}`)).json).toEqual(before);
    expect(before.items).toHaveLength(1);
  });

  it("waits a day after the migration if servers of the previous version may still run", async () => {
    const migratedAt = Date.now();
    const isDueAt = (now: number) => isCompactionDue({ ...service.service, now: () => now });
    expect(await isDueAt(migratedAt)).toBe(engine === "sqlite");
    expect(await isDueAt(migratedAt + UPGRADE_DELAY_MS)).toBe(true);
  });
});
