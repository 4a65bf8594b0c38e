/** Deduplication: each event is stored once per session, even if it is sent repeatedly, in other batches or to several servers. */
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { decodeIds } from "../../../src/server/telemetry/batch-codec.ts";
import { SeenIds } from "../../../src/server/telemetry/seen-ids.ts";
import { freshFolder, NOW, startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";
import { createEvents, readSession, type SentEvent } from "../telemetry-helpers.ts";

const open: TestService[] = [];

async function start(options: Parameters<typeof startTestService>[0] = {}): Promise<TestService> {
  const service = await startTestService(options);
  open.push(service);
  return service;
}

afterEach(async () => {
  for (const service of open.splice(0)) await service.stop();
});

async function send(service: TestService, body: object) {
  const answer = await service.post("/api/telemetry", { gameId: "maze", clientSessionId: "one", ...body });
  expect(answer.status).toBe(202);
  return answer.json;
}

/** Reads all event ids in the database, in the order of their batches. */
async function readEventIds(service: TestService): Promise<string[]> {
  const rows = await service.service.store.readDb
    .selectFrom("event_batches")
    .selectAll()
    .orderBy("seq")
    .execute();
  return rows.flatMap((row) => decodeIds(row));
}

const five = createEvents(["begin", "fail", "fail", "player_pos", "succeed"]);

describe("an event that is sent again", () => {
  it("is stored once if it is repeated in a batch", async () => {
    const service = await start();
    await service.addGame("maze");
    const receipt = await send(service, { events: [...five, ...five] });
    expect(receipt).toMatchObject({ accepted: 5, duplicates: 5, rejected: [] });
    expect((await readSession(service, receipt.sessionId)).session.event_counts).toEqual({
      begin: 1,
      fail: 2,
      player_pos: 1,
      succeed: 1,
    });
  });

  it("is stored once if it is in several batches, in any order and mixed with new events", async () => {
    const service = await start();
    await service.addGame("maze");
    expect(await send(service, { events: five.slice(0, 3) })).toMatchObject({ accepted: 3, duplicates: 0 });
    expect(await send(service, { events: five.toReversed() })).toMatchObject({ accepted: 2, duplicates: 3 });
    expect(await send(service, { events: five.slice(2) })).toMatchObject({ accepted: 0, duplicates: 3 });
    expect((await readEventIds(service)).sort()).toEqual(five.map(({ id }) => id));
  });

  it("is a different event in another session", async () => {
    const service = await start();
    await service.addGame("maze");
    await send(service, { events: five });
    const other = await send(service, { clientSessionId: "two", events: five });
    expect(other).toMatchObject({ accepted: 5, duplicates: 0 });
  });

  it("is recognized only by the exact id, including case, spaces and Unicode composition", async () => {
    const service = await start();
    await service.addGame("maze");
    const ids = [
      "a",
      "A",
      "a ",
      "é",
      "e\u0301",
      "0",
      "00",
      "__proto__",
      "constructor",
      "toString",
      "🎮",
      "\ufeffa",
    ];
    const events = ids.map((id) => ({ id, name: "x", timestamp: NOW }));
    expect(await send(service, { events })).toMatchObject({ accepted: ids.length, duplicates: 0 });
    expect(await send(service, { events })).toMatchObject({ accepted: 0, duplicates: ids.length });
    expect(await readEventIds(service)).toEqual(ids);
  });

  it("is recognized after a restart on the same file", async () => {
    const database = join(freshFolder(), "play.db");
    const first = await start({ database });
    await first.addGame("maze");
    const { sessionId } = await send(first, { events: five.slice(0, 4) });
    await first.stop();
    open.length = 0;
    const second = await start({ database, continues: first });
    expect(await send(second, { events: five })).toMatchObject({ sessionId, accepted: 1, duplicates: 4 });
    expect(await send(second, { clientSessionId: undefined, sessionId, events: five })).toMatchObject({
      accepted: 0,
      duplicates: 5,
    });
  });

  it("is recognized by both of two services on one file", async () => {
    const database = join(freshFolder(), "play.db");
    const first = await start({ database });
    await first.addGame("maze");
    const second = await start({ database, continues: first });
    await send(first, { events: five.slice(0, 2) });
    expect(await send(second, { events: five.slice(1, 4) })).toMatchObject({ accepted: 2, duplicates: 1 });
    expect(await send(first, { events: five })).toMatchObject({ accepted: 1, duplicates: 4 });
    expect(await send(second, { events: five })).toMatchObject({ accepted: 0, duplicates: 5 });
    expect((await readEventIds(first)).sort()).toEqual(five.map(({ id }) => id));
  });

  it("is recognized if the cache of ids has evicted the session", async () => {
    const service = await start();
    await service.addGame("maze");
    const { sessionId } = await send(service, { events: five.slice(0, 3) });
    service.service.seenIds.forget(sessionId);
    expect(await send(service, { events: five })).toMatchObject({ accepted: 2, duplicates: 3 });
  });
});

describe("the cache of ids", () => {
  /** Stores a session with two batches of two events. `filterNew` returns the ids that a cache considers new. */
  async function twoBatches() {
    const service = await start();
    await service.addGame("maze");
    const { sessionId: id } = await send(service, { events: five.slice(0, 2) });
    await send(service, { events: five.slice(2, 4) });
    const { readDb: db } = service.service.store;
    const { game_id } = await db.selectFrom("sessions").select("game_id").executeTakeFirstOrThrow();
    const filterNew = async (seen: SeenIds, next_batch: number, ids: string[], session = id) => {
      const events = ids.map((own) => ({ id: own, name: "x", timestamp: NOW }));
      const { fresh } = await seen.filterNew(db, { game_id, id: session, next_batch }, events);
      return fresh.map((event) => event.id);
    };
    return { filterNew };
  }

  it("follows the database, even if it has fewer or more batches than the database", async () => {
    const { filterNew } = await twoBatches();
    const seen = new SeenIds();
    const all = five.map((event) => event.id);
    expect(await filterNew(seen, 0, [])).toEqual([]);
    expect(await filterNew(seen, 1, all)).toEqual(["e2", "e3", "e4"]);
    // The batch that the cache saw was not stored. Another server stored a different one instead.
    expect(await filterNew(seen, 2, all)).toEqual(["e4"]);
    expect(await filterNew(seen, 1, all)).toEqual(["e2", "e3", "e4"]);
    expect(await filterNew(seen, 0, all)).toEqual(all);
  });

  it("distinguishes ids that all have the same hash", async () => {
    const { filterNew } = await twoBatches();
    const seen = new SeenIds({ hash: () => 7 });
    expect(await filterNew(seen, 2, ["e0", "e4", "e3", "e5", "e4", "e6", "e1", "e6"])).toEqual([
      "e4",
      "e5",
      "e6",
    ]);
  });

  it("evicts the least recently used sessions above its limit", async () => {
    const { filterNew } = await twoBatches();
    const seen = new SeenIds({ maxBytes: 2 ** 20 });
    const many = (other: string) => Array.from({ length: 6250 }, (_, n) => `${other}${n}`);
    expect(await filterNew(seen, 2, ["e0", "e4"])).toEqual(["e4"]);
    const smallSession = seen.bytes;
    // Each session takes 192 KiB.
    for (const other of ["sess_a", "sess_b", "sess_c", "sess_d", "sess_e"]) {
      expect(await filterNew(seen, 0, many(other), other)).toHaveLength(6250);
    }
    const before = seen.bytes;
    expect(before).toBeGreaterThan(60 * 2 ** 14);
    await filterNew(seen, 0, many("sess_f"), "sess_f");
    // The small session and the first large one were evicted.
    expect(seen.bytes).toBe(before - smallSession);
    expect(await filterNew(seen, 2, ["e0", "e1", "e3", "e4"])).toEqual(["e4"]);
  });
});

it("overlapping batches that are sent concurrently store each event once", async () => {
  const service = await start();
  await service.addGame("maze");
  const all = createEvents(Array.from({ length: 200 }, (_, n) => `name-${n % 7}`));
  const parts = Array.from({ length: 24 }, (_, n) => all.slice((n * 8) % 160, ((n * 8) % 160) + 60));
  const receipts = await Promise.all(
    parts.map((part, n) => send(service, { events: n % 3 ? part : part.toReversed() })),
  );
  expect(new Set(receipts.map(({ sessionId }) => sessionId)).size).toBe(1);
  const sent = new Set(parts.flat());
  expect(receipts.reduce((sum, receipt) => sum + receipt.accepted, 0)).toBe(sent.size);
  expect((await readEventIds(service)).sort()).toEqual([...sent].map(({ id }) => id).sort());
});

it("rejected concurrent requests do not affect the events of accepted ones", async () => {
  const service = await start();
  await service.addGame("maze");
  const { sessionId } = await send(service, { events: [] });
  const posts = Array.from({ length: 60 }, (_, n) => {
    const events = [{ id: `e${n >> 2}`, name: "x", timestamp: NOW + n }];
    const wrong = [{}, { sessionId: "sess_none" }, { gameId: "none" }, { deviceId: "." }][n % 4];
    return service.post("/api/telemetry", { gameId: "maze", sessionId, events, ...wrong });
  });
  const answers = await Promise.all(posts);
  expect(answers.map(({ status }) => status)).toEqual(answers.map((_, n) => [202, 404, 404, 400][n % 4]));
  // The order in which they are stored is not defined.
  expect((await readEventIds(service)).sort()).toEqual(Array.from({ length: 15 }, (_, n) => `e${n}`).sort());
  expect((await readSession(service, sessionId)).session.event_counts).toEqual({ x: 15 });
});

it("event counts do not depend on batches, repetitions and order", async () => {
  const service = await start();
  await service.addGame("maze");
  const all: SentEvent[] = createEvents(["a", "b", "a", "c", "a", "b", "d", "player_pos"]);
  const batches = fc.array(fc.array(fc.constantFrom(...all), { maxLength: 12 }), { maxLength: 6 });
  let session = 0;
  await fc.assert(
    fc.asyncProperty(batches, fc.boolean(), async (sentBatches, evicts) => {
      session += 1;
      const clientSessionId = `session-${session}`;
      let [accepted, sessionId] = [0, ""];
      for (const events of [[], ...sentBatches]) {
        const receipt = await send(service, { clientSessionId, events });
        accepted += receipt.accepted;
        sessionId = receipt.sessionId;
        expect(receipt.accepted + receipt.duplicates).toBe(events.length);
        if (evicts) service.service.seenIds.forget(sessionId);
      }
      const distinct = new Set(sentBatches.flat());
      const counts: Record<string, number> = {};
      for (const { name } of distinct) counts[name] = (counts[name] ?? 0) + 1;
      expect(accepted).toBe(distinct.size);
      expect((await readSession(service, sessionId)).session.event_counts).toEqual(counts);
    }),
    { numRuns: 60 },
  );
});
