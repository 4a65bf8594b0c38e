/** Compaction neither loses nor duplicates positions, does not change sessions, and saves space and reads. */
import { join } from "node:path";
import { type KyselyPlugin, sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { Heatmap } from "../../../src/contract/heatmaps.ts";
import { handleGetHeatmap } from "../../../src/server/analysis/heatmap-handlers.ts";
import { toJson } from "../../../src/server/core/responses.ts";
import type { Db } from "../../../src/server/db/schema.ts";
import {
  findKeysWithChunks,
  MAX_BLOCK_POINTS,
  moveChunks,
} from "../../../src/server/positions/block-queries.ts";
import { createCompaction } from "../../../src/server/positions/compaction.ts";
import { streamStoredEvents } from "../../../src/server/telemetry/batch-queries.ts";
import { engine, freshFolder, NOW, startTestService, type TestService } from "../../harness.ts";
import { type SentEvent, sendTelemetry } from "../telemetry-helpers.ts";

const chooseOfTwoRooms = (n: number): string => (n % 2 ? "hall" : "docks");

/** Creates `n` position events from the index `first` on, in two rooms and with ids that count up. */
function positions(first: number, n: number, chooseRoom = chooseOfTwoRooms): SentEvent[] {
  return Array.from({ length: n }, (_, at) => ({
    id: `e-${String(first + at).padStart(6, "0")}`,
    name: "player_pos",
    timestamp: NOW + (first + at) * 250,
    data: {
      x: (((first + at) * 7919) % 640) / 10,
      y: (((first + at) * 104_729) % 360) / 10,
      room: chooseRoom(first + at),
    },
  }));
}

/** Sends a session in batches, and returns its id and all events. */
async function sendSession(
  service: TestService,
  name: string,
  batches: number,
  size: number,
  chooseRoom = chooseOfTwoRooms,
) {
  const sent: SentEvent[] = [];
  let id = "";
  for (let batch = 0; batch < batches; batch += 1) {
    const events = positions(sent.length, size, chooseRoom);
    id = await sendTelemetry(service, {
      gameId: "maze",
      clientSessionId: name,
      source: "unity-telemetry",
      events,
    });
    sent.push(...events);
  }
  return { id, sent };
}

async function readEvents(service: TestService, gameId: string, sessionId: string) {
  const events = [];
  for await (const batch of streamStoredEvents(service.service.store.readDb, gameId, sessionId))
    events.push(...batch);
  return events;
}

async function counts(service: TestService) {
  const sums = async (table: "position_chunks" | "position_blocks") => {
    const row = await service.service.store.readDb
      .selectFrom(table)
      .select((eb) => [eb.fn.countAll<number>().as("rows"), eb.fn.sum<number>("points").as("points")])
      .executeTakeFirstOrThrow();
    return { rows: Number(row.rows), points: Number(row.points) };
  };
  return { chunks: await sums("position_chunks"), blocks: await sums("position_blocks") };
}

describe("compaction", () => {
  it("moves chunks only if there are enough of them", async () => {
    const service = await startTestService();
    const gameId = await service.addGame("maze");
    const { id, sent } = await sendSession(service, "one", 63, 10);
    await service.compaction.drain();
    expect((await counts(service)).blocks.rows).toBe(0);
    const before = (await service.get("/api/v1/heatmaps/maze")).json;
    await sendSession(service, "two", 1, 10);
    await service.compaction.drain();
    expect(await counts(service)).toEqual({
      chunks: { rows: 0, points: 0 },
      blocks: { rows: 2, points: 640 },
    });
    expect(await readEvents(service, gameId, id)).toEqual(sent);
    const after = (await service.get("/api/v1/heatmaps/maze")).json;
    expect([before.eventCount, after.eventCount]).toEqual([630, 640]);
    expect(service.faults).toEqual([]);
    await service.stop();
  });

  it("fills one block after the other, and does not disturb concurrent reads of a session", async () => {
    const service = await startTestService();
    const gameId = await service.addGame("maze");
    const sessions = [];
    for (let n = 0; n < 10; n += 1)
      sessions.push(await sendSession(service, `s${n}`, 10, 1000, () => "hall"));
    const session = sessions[5];
    const events = streamStoredEvents(service.service.store.readDb, gameId, session?.id ?? "");
    const read = [...((await events.next()).value ?? [])];
    await service.compaction.drain();
    for await (const batch of events) read.push(...batch);
    expect(read).toEqual(session?.sent);
    const { blocks, chunks } = await counts(service);
    // 100 chunks fill whole blocks until fewer than 64 chunks remain.
    const inBlock = Math.floor(MAX_BLOCK_POINTS / 1000);
    expect(blocks).toEqual({ rows: 2, points: 2 * inBlock * 1000 });
    expect(chunks).toEqual({ rows: 100 - 2 * inBlock, points: (100 - 2 * inBlock) * 1000 });
    for (const { id, sent } of sessions) expect(await readEvents(service, gameId, id)).toEqual(sent);
    await service.stop();
  });

  it("moves positions that heatmaps ignore into separate blocks", async () => {
    const service = await startTestService();
    const gameId = await service.addGame("maze");
    const id = await sendTelemetry(service, {
      ...{ gameId: "maze", clientSessionId: "o", source: "godot-telemetry", events: positions(0, 10) },
    });
    await sendSession(service, "u", 1, 10);
    const { store } = service.service;
    for (const key of await findKeysWithChunks(store.readDb, 1)) {
      await store.write((db) => moveChunks(db, key, 1));
    }
    expect((await counts(service)).blocks).toEqual({ rows: 4, points: 20 });
    expect((await service.get("/api/v1/heatmaps/maze")).json.eventCount).toBe(10);
    expect(await readEvents(service, gameId, id)).toEqual(positions(0, 10));
    await service.stop();
  });

  it("changes nothing if any of its statements fails", async () => {
    const service = await startTestService();
    const gameId = await service.addGame("maze");
    const { id, sent } = await sendSession(service, "one", 3, 10);
    const { store } = service.service;
    const before = await counts(service);
    const [key] = await findKeysWithChunks(store.readDb, 1);
    if (!key) throw new Error("There are no chunks");
    let failures = 0;
    for (let remaining = 0; ; remaining += 1) {
      const move = store.write(async (db) => await moveChunks(failingAfter(db, remaining), key, 1));
      const moved = await move.catch((error: Error) => error.message);
      if (moved === 3) break;
      expect(moved).toBe("injected failure");
      expect(await counts(service)).toEqual(before);
      expect(await readEvents(service, gameId, id)).toEqual(sent);
      failures += 1;
    }
    expect(failures).toBeGreaterThanOrEqual(6);
    expect(await readEvents(service, gameId, id)).toEqual(sent);
    await service.stop();
  });
});

/** A database that fails after the given number of statements. */
function failingAfter(db: Db, statements: number): Db {
  let remaining = statements;
  return db.withPlugin({
    transformQuery({ node }) {
      if (remaining-- === 0) throw new Error("injected failure");
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}

/** Counts the rows that a heatmap request reads, and those of them that contain points. */
async function countHeatmapRows(service: TestService) {
  const read = { rows: 0, withPoints: 0 };
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      read.rows += result.rows.length;
      read.withPoints += result.rows.filter((row) => "xy" in row).length;
      return result;
    },
  };
  const { service: running, accountId } = service;
  const answer = await running.store.read(async (db) => {
    const request = { key: {} as never, headers: new Headers(), warnings: [], responseHeaders: {} };
    const sender = { network: "127.0.0.1", bodyBytes: 0 };
    const call = { service: running, accountId, db: db.withPlugin(counting), ...request, ...sender };
    return toJson(await handleGetHeatmap({ game: "maze" } as never, call));
  });
  expect((JSON.parse(answer) as Heatmap).rooms.length).toBe(2);
  return read;
}

it("a repeated heatmap request only reads new points", async () => {
  const service = await startTestService();
  // On a slow machine, a pass in the background would move chunks before they are counted.
  await service.compaction.stop();
  const compaction = createCompaction(service.service);
  await service.addGame("maze");
  for (let n = 0; n < 40; n += 1) await sendSession(service, `s${n}`, 5, 100);
  expect((await countHeatmapRows(service)).withPoints).toBe(400);
  await compaction.drain();
  // After the compaction, the blocks are read once.
  expect((await countHeatmapRows(service)).withPoints).toBe(2);
  // The game, and one extent per room.
  expect(await countHeatmapRows(service)).toEqual({ rows: 3, withPoints: 0 });
  await sendSession(service, "next", 1, 100);
  // The new chunk of each room is listed, then read.
  expect(await countHeatmapRows(service)).toEqual({ rows: 1 + 4 + 2 + 2, withPoints: 2 });
  await service.stop();
});

it.runIf(engine === "sqlite")(
  "a position with a counter-like id uses at most 24 bytes in the file",
  async () => {
    const service = await startTestService({ database: join(freshFolder(), "play.db") });
    await service.addGame("maze");
    const [sessions, batches, size] = [8, 8, 500];
    const playRound = async (round: number) => {
      for (let n = 0; n < sessions; n += 1) {
        await sendSession(
          service,
          `s${round}-${n}`,
          batches,
          size,
          (id) => `room-${Math.floor(id / 100) % 5}`,
        );
      }
      await service.compaction.drain();
      const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(
        service.service.store.writeDb,
      );
      return (rows[0]?.page_count ?? 0) * 4096;
    };
    // Chunks that are not moved yet take the same space in a file of any size.
    const before = await playRound(0);
    let after = before;
    for (let round = 1; round <= 3; round += 1) after = await playRound(round);
    const bytes = (after - before) / (3 * sessions * batches * size);
    expect(bytes).toBeGreaterThan(16);
    expect(bytes).toBeLessThan(24);
  },
);
