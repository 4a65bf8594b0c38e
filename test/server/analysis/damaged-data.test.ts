/** Damaged rows: their session fails with a reason, once, and everything else continues. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { readSession, readSessionRow, type SentEvent, sendTelemetry } from "../telemetry-helpers.ts";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
  await service.addGame("maze");
});
afterEach(() => service.stop());

const createPositions = (prefix: string, n: number): SentEvent[] =>
  Array.from({ length: n }, (_, at) => ({
    id: `${prefix}${at}`,
    name: "player_pos",
    timestamp: NOW + at,
    data: { x: at, y: at, room: "hall" },
  }));

const send = (name: string, more: Record<string, unknown> = {}) =>
  sendTelemetry(service, {
    gameId: "maze",
    clientSessionId: name,
    source: "unity-telemetry",
    events: createPositions(name, 4),
    ...more,
  });

/** Ends all sessions, and analyzes them. */
async function analyzeAll(): Promise<void> {
  service.clock.now += 31 * 60_000;
  await service.analysis.drain();
}

const write = () => service.service.store.writeDb;

async function setPayload(sessionId: string, payload: Uint8Array): Promise<void> {
  await write().updateTable("event_batches").set({ payload }).where("session_id", "=", sessionId).execute();
}

/** Two ids, no names, no rooms, and a run of 2^49 codes: 8 GB for every byte if it is not checked. */
const BOMB = new Uint8Array([
  ...[1, 0, 1, 97, 2, 91, 93, 2, 91, 93, 1, 0],
  ...[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
]);

describe("a damaged batch", () => {
  it.each([
    ["is empty", new Uint8Array()],
    ["is truncated", new Uint8Array([4, 0, 1])],
    ["has another number of events than its row", new Uint8Array([5, 0, 1, 97])],
    ["declares a huge number of events", new Uint8Array([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])],
    ["has a run of 2^49 names", BOMB],
  ])("that %s fails its session at once, and no other one", async (_, payload) => {
    const [damaged, other] = [await send("a"), await send("b")];
    await setPayload(damaged, payload);
    await analyzeAll();
    expect(await readSessionRow(service, damaged)).toMatchObject({
      status: "failed",
      analysis_due: null,
      analysis_lease: null,
    });
    const { session, insights } = await readSession(service, damaged);
    expect(session.error).toMatch(/^The stored data is damaged\. A stored batch .+\.$/);
    expect([insights, session.event_counts]).toEqual([[], { player_pos: 4 }]);
    expect((await readSession(service, other)).session).toMatchObject({ status: "analyzed", error: null });
    expect(service.faults).toEqual([`analyzing session ${damaged}`, expect.anything()]);
    service.faults.length = 0;
    service.clock.now += 24 * 60 * 60_000;
    await service.analysis.drain({ outdated: true });
    expect(service.faults).toEqual([]);
    const list = await service.get("/api/v1/sessions");
    expect(list.json.items.map(({ id }: { id: string }) => id).sort()).toEqual([damaged, other].sort());
    expect((await service.get("/api/v1/events/maze")).json).toMatchObject({ total: 8 });
    expect((await service.get("/api/v1/heatmaps/maze")).json.eventCount).toBe(8);
  });

  it("does not stop its session from receiving events, even after a restart", async () => {
    const id = await send("a");
    await setPayload(id, BOMB);
    service.service.seenIds.forget(id);
    const answer = await service.post("/api/telemetry", {
      gameId: "maze",
      clientSessionId: "a",
      events: createPositions("new", 2),
    });
    expect([answer.status, answer.json.accepted]).toEqual([202, 2]);
    await analyzeAll();
    expect((await readSession(service, id)).session.status).toBe("failed");
  });

  it("that is missing fails its session", async () => {
    const id = await send("a");
    await write().deleteFrom("event_batches").where("session_id", "=", id).execute();
    await analyzeAll();
    expect((await readSession(service, id)).session.error).toBe(
      "The stored data is damaged. A stored batch is missing.",
    );
  });

  it("is analyzed again when its session is queued again and the batch is intact", async () => {
    const id = await send("a");
    const { payload } = await write().selectFrom("event_batches").selectAll().executeTakeFirstOrThrow();
    await setPayload(id, BOMB);
    await analyzeAll();
    await setPayload(id, payload);
    service.service.seenIds.forget(id);
    await send("a", { events: createPositions("more", 1) });
    await analyzeAll();
    expect((await readSession(service, id)).session).toMatchObject({ status: "analyzed", error: null });
  });
});

describe("damaged positions", () => {
  /** Sends 70 sessions, of which compaction would move all chunks, and damages those of the first. */
  async function damageChunk(xy: Uint8Array): Promise<{ damaged: string; others: string[] }> {
    const damaged = await send("first");
    const others = [];
    for (let n = 0; n < 70; n += 1) others.push(await send(`session ${n}`));
    await write().updateTable("position_chunks").set({ xy }).where("session_id", "=", damaged).execute();
    return { damaged, others };
  }

  it.each([
    ["no bytes", new Uint8Array()],
    ["an incomplete number", new Uint8Array(63)],
    ["a point too many", new Uint8Array(80)],
  ])("in a chunk with %s stay out of blocks and heatmaps", async (_, xy) => {
    const { damaged, others } = await damageChunk(xy);
    const before = (await service.get("/api/v1/heatmaps/maze")).json;
    await service.compaction.drain();
    const chunks = await write().selectFrom("position_chunks").select("session_id").execute();
    expect(chunks).toEqual([{ session_id: damaged }]);
    const blocks = await write().selectFrom("position_blocks").selectAll().execute();
    expect(blocks.map(({ points, xy }) => [points, xy.length])).toEqual([[280, 280 * 16]]);
    expect((await service.get("/api/v1/heatmaps/maze")).json).toEqual(before);
    await service.compaction.drain();
    await analyzeAll();
    expect((await readSession(service, damaged)).session.error).toMatch(/^The stored data is damaged\. /);
    for (const id of others) expect((await readSessionRow(service, id)).status).toBe("analyzed");
  });

  it.each([
    ["names more points than its block has", { parts: "[[0,1000000000]]" }],
    ["is not JSON", { parts: "[[0,4" }],
    ["has a negative number of points", { parts: "[[0,-4]]" }],
    ["names a missing block", { block: 99 }],
    ["begins before its block", { start: -2 }],
  ])("of which a slice %s fail their session only", async (_, changed) => {
    const { damaged, others } = await damageChunk(new Uint8Array(64));
    await service.compaction.drain();
    const slices = write().updateTable("position_slices").set(changed);
    expect((await slices.where("session_id", "=", damaged).execute())[0]?.numUpdatedRows).toBe(1n);
    await analyzeAll();
    expect((await readSession(service, damaged)).session.error).toMatch(/^The stored data is damaged\. /);
    for (const id of others) expect((await readSessionRow(service, id)).status).toBe("analyzed");
    expect((await service.get("/api/v1/heatmaps/maze")).json.eventCount).toBe(284);
  });

  it("in a block are not extended, and other blocks are", async () => {
    const { others } = await damageChunk(new Uint8Array(64));
    await service.compaction.drain();
    await write()
      .updateTable("position_blocks")
      .set({ xy: new Uint8Array(24) })
      .execute();
    for (let n = 0; n < 64; n += 1) await send(`later ${n}`);
    await service.compaction.drain();
    const blocks = await write().selectFrom("position_blocks").selectAll().orderBy("id").execute();
    expect(blocks.map(({ points, xy }) => [points, xy.length])).toEqual([
      [284, 24],
      [256, 256 * 16],
    ]);
    expect((await service.get("/api/v1/heatmaps/maze")).status).toBe(200);
    await analyzeAll();
    expect((await readSession(service, others[0] ?? "")).session.status).toBe("failed");
  });
});
