/** Blocks of batches: the analysis of a session packs its batches, and every reader finds the same events as before. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBlock, groupBatches, readBlock } from "../../../src/server/telemetry/batch-blocks.ts";
import { decodeIds, encodeBatch } from "../../../src/server/telemetry/batch-codec.ts";
import { readBatch, readBatchesFrom } from "../../../src/server/telemetry/batch-queries.ts";
import { SeenIds } from "../../../src/server/telemetry/seen-ids.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { emptyStore, exportArchive, restoreLines } from "../archive/archives.ts";
import { type Body, readSessionRow, type SentEvent, sendTelemetry } from "../telemetry-helpers.ts";

const BATCHES = 5;
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

/** Events of the n-th batch: positions in two rooms, and others. */
const createBatch = (n: number): SentEvent[] =>
  Array.from({ length: 30 }, (_, at) => ({
    id: `b${n}-${at}`,
    name: at % 3 === 0 ? "player_pos" : "door_opened",
    timestamp: NOW + n * 30_000 + at * 900,
    data:
      at % 3 === 0
        ? { x: at, y: n, room: at % 2 === 0 ? "hall" : "docks" }
        : { room: "hall", key: at, text: `from batch ${n}` },
  }));

const send = (n: number, more: Body = {}) =>
  sendTelemetry(service, { gameId: "maze", clientSessionId: "one", events: createBatch(n), ...more });

/** Sends a session, and ends it without analyzing it. */
async function play(): Promise<string> {
  for (let n = 0; n < BATCHES - 1; n += 1) await send(n);
  return await send(BATCHES - 1, { sessionEnded: true });
}

const readPayloads = async (id: string) =>
  await service.service.store.readDb
    .selectFrom("event_batches")
    .select(["seq", "payload"])
    .where("session_id", "=", id)
    .orderBy("seq")
    .execute();

/** What the second byte of each payload says: 1 for a compressed batch, 3 for a reference, 4 for a block. */
const readKinds = async (id: string) => (await readPayloads(id)).map(({ payload }) => payload[1]);

/** Everything that is read from batches. */
async function readEverything(id: string) {
  const urls = [
    `/api/v1/sessions/${id}/events?limit=100`,
    "/api/v1/games/maze/raw-events?limit=70",
    "/api/v1/heatmaps/maze?source=unity-telemetry",
    "/api/v1/games/maze/raw-events?event=player_pos",
  ];
  return await Promise.all(urls.map(async (url) => [url, (await service.get(url)).text]));
}

describe("the batches of an analyzed session", () => {
  it("are in one block, and read as before", async () => {
    const id = await play();
    const before = await readEverything(id);
    expect(await readKinds(id)).toEqual([1, 1, 1, 1, 1]);
    const { store } = service.service;
    const batches = await readBatchesFrom(store.readDb, gameId, id, 0);
    const bytes = (await readPayloads(id)).reduce((sum, { payload }) => sum + payload.length, 0);
    await service.analysis.drain();
    expect(await readKinds(id)).toEqual([4, 3, 3, 3, 3]);
    expect(await readEverything(id)).toEqual(before);
    const packed = await readBatchesFrom(store.readDb, gameId, id, 0);
    expect(packed.map(decodeIds)).toEqual(batches.map(decodeIds));
    const fourth = await readBatch(store.readDb, gameId, id, 3);
    expect(fourth && decodeIds(fourth)).toEqual(createBatch(3).map((event) => event.id));
    const packedBytes = (await readPayloads(id)).reduce((sum, { payload }) => sum + payload.length, 0);
    expect(packedBytes).toBeLessThan(0.6 * bytes);
  });

  it("are known to deduplication, and late ones get their own block", async () => {
    const id = await play();
    await service.analysis.drain();
    // Another server has not seen the ids.
    Object.assign(service.service, { seenIds: new SeenIds() });
    const body = { gameId: "maze", clientSessionId: "one", events: createBatch(2) };
    expect((await service.post("/api/telemetry", body)).json).toMatchObject({ accepted: 0, duplicates: 30 });
    await send(10);
    await send(11);
    expect(await readKinds(id)).toEqual([4, 3, 3, 3, 3, 1, 1]);
    service.clock.now += 60_000;
    await service.analysis.drain();
    expect(await readKinds(id)).toEqual([4, 3, 3, 3, 3, 4, 3]);
    expect((await readSessionRow(service, id)).status).toBe("analyzed");
    const found = await service.get(`/api/v1/sessions/${id}/events?limit=2000`);
    expect([found.json.items.length, found.json.unreadable]).toEqual([7 * 30, 0]);
  });

  it("survive an export and an import", async () => {
    const id = await play();
    await service.analysis.drain();
    const { lines } = await exportArchive(service.service.store);
    const copy = await emptyStore();
    try {
      await restoreLines(copy, lines);
      const batches = await readBatchesFrom(copy.readDb, gameId, id, 0);
      expect(batches.flatMap(decodeIds)).toHaveLength(BATCHES * 30);
    } finally {
      await copy.close();
    }
  });

  it("fail the next analysis if their block is damaged, and are reported as unreadable", async () => {
    const id = await play();
    await service.analysis.drain();
    await service.service.store.writeDb
      .updateTable("event_batches")
      .set({ payload: Uint8Array.of(0, 4, 200, 1, 9) })
      .where("session_id", "=", id)
      .where("seq", "=", 0)
      .execute();
    const { json } = await service.get(`/api/v1/sessions/${id}/events`);
    expect(json).toMatchObject({ items: [], unreadable: BATCHES * 30 });
    await send(20);
    service.clock.now += 60_000;
    await service.analysis.drain();
    expect(await readSessionRow(service, id)).toMatchObject({
      status: "failed",
      analysis_error: expect.stringMatching(/^The stored data is damaged\./),
    });
    expect(service.faults.splice(0)).toEqual([`analyzing session ${id}`, expect.anything()]);
  });
});

describe("a block", () => {
  const batchOf = (seq: number, bytes: number) => {
    const text = Array.from({ length: bytes }, (_, at) => String.fromCharCode(97 + ((seq + at * at) % 26)));
    const { payload, event_count } = encodeBatch([
      { id: `e${seq}`, name: "x", timestamp: 1.7e12, data: { text: text.join("") } },
    ]);
    return { payload, event_count, seq };
  };

  it("contains the encoded batches in order", async () => {
    const batches = [batchOf(0, 10), batchOf(1, 4000), batchOf(2, 1)];
    const payloads = readBlock(await createBlock(batches));
    expect(payloads.map((payload) => Buffer.from(payload))).toEqual(
      batches.map(({ payload }) => Buffer.from(payload)),
    );
  });

  const sizes = (batches: Parameters<typeof groupBatches>[0]) => groupBatches(batches).map((g) => g.length);

  it("has at most 64 consecutive batches and 128 kB, or one batch", () => {
    expect(sizes(Array.from({ length: 130 }, (_, seq) => batchOf(seq, 10)))).toEqual([64, 64, 2]);
    expect(sizes([batchOf(0, 60_000), batchOf(1, 60_000), batchOf(2, 60_000)])).toEqual([2, 1]);
    expect(sizes([batchOf(0, 200_000), batchOf(1, 5000)])).toEqual([1, 1]);
    expect(sizes([batchOf(0, 5000), batchOf(2, 5000)])).toEqual([1, 1]);
  });

  it("does not consist of one small batch, which a block would not make smaller", () => {
    expect(sizes([batchOf(0, 10), batchOf(2, 10)])).toEqual([]);
    expect(sizes([batchOf(0, 200_000), batchOf(1, 10)])).toEqual([1]);
  });

  it("is empty if it is damaged", async () => {
    const block = await createBlock([batchOf(0, 100), batchOf(1, 100)]);
    expect(readBlock(block.slice(0, -3))).toEqual([]);
    expect(readBlock(Uint8Array.of(0, 4))).toEqual([]);
    expect(readBlock(Uint8Array.of(0, 4, 0xff, 0xff, 0xff, 0x7f, 0))).toEqual([]);
  });
});
