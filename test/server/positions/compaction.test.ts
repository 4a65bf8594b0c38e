/** Moving positions into blocks: nothing is lost or stored twice, sessions read as before, and it is cheaper to keep and to read. */
import { join } from "node:path";
import { type KyselyPlugin, sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { Heatmap } from "../../../src/contract/heatmaps.ts";
import { toJson } from "../../../src/server/core/responses.ts";
import type { Db } from "../../../src/server/db/schema.ts";
import {
  findKeysWithChunks,
  MAX_BLOCK_POINTS,
  moveChunks,
} from "../../../src/server/positions/block-queries.ts";
import { handleGetHeatmap } from "../../../src/server/positions/handlers.ts";
import { streamStoredEvents } from "../../../src/server/telemetry/batch-queries.ts";
import { engine, freshFolder, NOW, startTestService, type TestService } from "../../harness.ts";
import { play, type SentEvent } from "../play.ts";

const inTwoRooms = (n: number): string => (n % 2 ? "hall" : "docks");

/** Events of a session from the `first` on: positions in two rooms, with ids that count. */
function positions(first: number, n: number, roomOf = inTwoRooms): SentEvent[] {
  return Array.from({ length: n }, (_, at) => ({
    id: `e-${String(first + at).padStart(6, "0")}`,
    name: "player_pos",
    timestamp: NOW + (first + at) * 250,
    data: {
      x: (((first + at) * 7919) % 640) / 10,
      y: (((first + at) * 104_729) % 360) / 10,
      room: roomOf(first + at),
    },
  }));
}

/** Plays a session of some batches; answers its id and all it sent. */
async function playSession(
  service: TestService,
  name: string,
  batches: number,
  size: number,
  roomOf = inTwoRooms,
) {
  const sent: SentEvent[] = [];
  let id = "";
  for (let batch = 0; batch < batches; batch += 1) {
    const events = positions(sent.length, size, roomOf);
    id = await play(service, { gameId: "maze", clientSessionId: name, source: "unity-telemetry", events });
    sent.push(...events);
  }
  return { id, sent };
}

async function eventsOf(service: TestService, gameId: string, sessionId: string) {
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
  it("leaves chunks alone while they are few, and moves them all once they are many", async () => {
    const service = await startTestService();
    const gameId = await service.addGame("maze");
    const { id, sent } = await playSession(service, "one", 63, 10);
    await service.compaction.drain();
    expect((await counts(service)).blocks.rows).toBe(0);
    const before = (await service.get("/api/v1/heatmaps/maze")).json;
    await playSession(service, "two", 1, 10);
    await service.compaction.drain();
    expect(await counts(service)).toEqual({
      chunks: { rows: 0, points: 0 },
      blocks: { rows: 2, points: 640 },
    });
    expect(await eventsOf(service, gameId, id)).toEqual(sent);
    const after = (await service.get("/api/v1/heatmaps/maze")).json;
    expect([before.eventCount, after.eventCount]).toEqual([630, 640]);
    expect(service.faults).toEqual([]);
    await service.stop();
  });

  it("fills blocks one after the other, and lets a session be read while its positions move", async () => {
    const service = await startTestService();
    const gameId = await service.addGame("maze");
    const sessions = [];
    for (let n = 0; n < 10; n += 1)
      sessions.push(await playSession(service, `s${n}`, 10, 1000, () => "hall"));
    const one = sessions[5];
    const half = streamStoredEvents(service.service.store.readDb, gameId, one?.id ?? "");
    const read = [...((await half.next()).value ?? [])];
    await service.compaction.drain();
    for await (const batch of half) read.push(...batch);
    expect(read).toEqual(one?.sent);
    const { blocks, chunks } = await counts(service);
    // Of 100 chunks: whole blocks, and what is left of them once fewer than 64 are.
    const inBlock = Math.floor(MAX_BLOCK_POINTS / 1000);
    expect(blocks).toEqual({ rows: 2, points: 2 * inBlock * 1000 });
    expect(chunks).toEqual({ rows: 100 - 2 * inBlock, points: (100 - 2 * inBlock) * 1000 });
    for (const { id, sent } of sessions) expect(await eventsOf(service, gameId, id)).toEqual(sent);
    await service.stop();
  });

  it("moves positions that no heatmap takes too, apart from the others", async () => {
    const service = await startTestService();
    const gameId = await service.addGame("maze");
    const id = await play(service, {
      ...{ gameId: "maze", clientSessionId: "o", source: "godot-telemetry", events: positions(0, 10) },
    });
    await playSession(service, "u", 1, 10);
    const { store } = service.service;
    for (const key of await findKeysWithChunks(store.readDb, 1)) {
      await store.write((db) => moveChunks(db, key, 1));
    }
    expect((await counts(service)).blocks).toEqual({ rows: 4, points: 20 });
    expect((await service.get("/api/v1/heatmaps/maze")).json.eventCount).toBe(10);
    expect(await eventsOf(service, gameId, id)).toEqual(positions(0, 10));
    await service.stop();
  });

  it("that fails at any of its statements leaves everything as it was", async () => {
    const service = await startTestService();
    const gameId = await service.addGame("maze");
    const { id, sent } = await playSession(service, "one", 3, 10);
    const { store } = service.service;
    const before = await counts(service);
    const [key] = await findKeysWithChunks(store.readDb, 1);
    if (!key) throw new Error("There are no chunks");
    let failures = 0;
    for (let left = 0; ; left += 1) {
      const move = store.write(async (db) => await moveChunks(failingAfter(db, left), key, 1));
      const moved = await move.catch((error: Error) => error.message);
      if (moved === 3) break;
      expect(moved).toBe("the process is gone");
      expect(await counts(service)).toEqual(before);
      expect(await eventsOf(service, gameId, id)).toEqual(sent);
      failures += 1;
    }
    expect(failures).toBeGreaterThanOrEqual(6);
    expect(await eventsOf(service, gameId, id)).toEqual(sent);
    await service.stop();
  });
});

/** A database whose statements fail after some. */
function failingAfter(db: Db, statements: number): Db {
  let left = statements;
  return db.withPlugin({
    transformQuery({ node }) {
      if (left-- === 0) throw new Error("the process is gone");
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}

/** What a heatmap reads: rows, and among them those that carry points. */
async function rowsOfHeatmap(service: TestService) {
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
    const call = { service: running, accountId, db: db.withPlugin(counting), key: {} as never };
    return toJson(await handleGetHeatmap({ game: "maze" } as never, call));
  });
  expect((JSON.parse(answer) as Heatmap).rooms.length).toBe(2);
  return read;
}

it("a heatmap that is asked for again reads what has come since, and no other points", async () => {
  const service = await startTestService();
  await service.addGame("maze");
  for (let n = 0; n < 40; n += 1) await playSession(service, `s${n}`, 5, 100);
  expect((await rowsOfHeatmap(service)).withPoints).toBe(400);
  await service.compaction.drain();
  // What had been counted in chunks is counted in blocks once.
  expect((await rowsOfHeatmap(service)).withPoints).toBe(2);
  // The game, and two sums a room.
  expect(await rowsOfHeatmap(service)).toEqual({ rows: 3, withPoints: 0 });
  await playSession(service, "next", 1, 100);
  // A chunk a room: it is listed, then read.
  expect(await rowsOfHeatmap(service)).toEqual({ rows: 1 + 4 + 2 + 2, withPoints: 2 });
  await service.stop();
});

it.runIf(engine === "sqlite")(
  "positions with counted ids add at most 24 bytes an event to the file",
  async () => {
    const service = await startTestService({ database: join(freshFolder(), "play.db") });
    await service.addGame("maze");
    const [sessions, batches, size] = [8, 8, 500];
    const playRound = async (round: number) => {
      for (let n = 0; n < sessions; n += 1) {
        await playSession(
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
    // The chunks that wait to be moved take the same room in a file of any size.
    const before = await playRound(0);
    let after = before;
    for (let round = 1; round <= 3; round += 1) after = await playRound(round);
    const bytes = (after - before) / (3 * sessions * batches * size);
    expect(bytes).toBeGreaterThan(16);
    expect(bytes).toBeLessThan(24);
  },
);
