/** Positions with z and with a player are stored, moved into blocks and removed without a change. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  findKeysWithChunks,
  moveChunks,
  readBlockPoints,
} from "../../../src/server/positions/block-queries.ts";
import { removeSessionPositions } from "../../../src/server/positions/chunk-queries.ts";
import { joinPoints, packPoints, slicePoints, unpackPoints } from "../../../src/server/positions/points.ts";
import { streamStoredEvents } from "../../../src/server/telemetry/batch-queries.ts";
import { SOURCES } from "../../../src/shared/session-sources.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { type SentEvent, sendTelemetry } from "../telemetry-helpers.ts";

describe("a block", () => {
  const flat = { xy: packPoints([1, 2], [3, 4]), z: null };
  const high = { xy: packPoints([5], [6]), z: new Uint8Array(Float64Array.of(7).buffer) };

  it("has no z if no chunk has one", () => {
    const block = joinPoints({ xy: new Uint8Array(), z: null }, [flat, flat]);
    expect(block.z).toBeNull();
    expect(block.xy.byteLength).toBe(4 * 16);
  });

  it("keeps which of its points have a z", () => {
    let block = joinPoints({ xy: new Uint8Array(), z: null }, [flat]);
    block = joinPoints(block, [high, flat]);
    block = joinPoints(block, [high]);
    const points = unpackPoints(block);
    expect([...(points.z ?? [])]).toEqual([Number.NaN, Number.NaN, 7, Number.NaN, Number.NaN, 7]);
    expect(slicePoints(points, 2, 1)).toEqual({ xy: Float64Array.of(5, 6), z: Float64Array.of(7) });
  });
});

describe("a session", () => {
  let service: TestService;
  let gameId: string;
  beforeEach(async () => {
    service = await startTestService();
    await service.addGame("maze");
    const row = await service.service.store.readDb.selectFrom("games").select("id").executeTakeFirstOrThrow();
    gameId = row.id;
  });
  afterEach(() => service.stop());

  const events: SentEvent[] = [
    { x: 1, y: 2, room: "hall" },
    { x: 1, y: 2, z: 3.5, room: "hall" },
    { x: 1, y: 2, z: 4, room: "hall", player: "p1" },
    { x: 4, y: 5, room: "hall", player: "p2" },
    { x: 1, y: 2, z: -1, room: "hall", player: "p1" },
    { x: 6, y: 7, room: "hall", player: "" },
    { x: 6, y: 7, room: "hall", player: 7, z: "high" },
    { x: 6, y: 7, z: 0, room: "hall", player: "p2", speed: 3 },
    { x: 0, y: 0, room: "cellar", player: "x".repeat(65) },
  ].map((data, at) => ({ id: `e${at}`, name: "player_pos", timestamp: NOW + at, data }));

  const send = (clientSessionId: string) =>
    sendTelemetry(service, { gameId: "maze", clientSessionId, source: SOURCES.unity, events });

  const readAll = async (sessionId: string) => {
    const found = [];
    for await (const batch of streamStoredEvents(service.service.store.readDb, gameId, sessionId))
      found.push(...batch);
    return found;
  };

  const compact = async () => {
    const { store } = service.service;
    for (const key of await findKeysWithChunks(store.readDb, 1))
      while ((await store.write((db) => moveChunks(db, key, 1))) > 0);
  };

  it("has the events that were sent, before and after their positions move into blocks", async () => {
    const [one, two] = [await send("one"), await send("two")];
    expect(await readAll(one)).toEqual(events);
    const chunks = await service.service.store.readDb.selectFrom("position_chunks").selectAll().execute();
    const byPlayer = chunks
      .filter(({ session_id, room }) => session_id === one && room === "hall")
      .map(({ player, points, z_min, z_max, z }) => [player, points, z_min, z_max, z?.byteLength ?? null]);
    expect(byPlayer.sort()).toEqual([
      ["", 4, 3.5, 3.5, 32],
      ["p1", 2, -1, 4, 16],
      ["p2", 2, 0, 0, 16],
    ]);
    await compact();
    expect(await readAll(one)).toEqual(events);
    expect(await readAll(two)).toEqual(events);
  });

  it("is removed from blocks without a change of others", async () => {
    const [one, two, three] = [await send("one"), await send("two"), await send("three")];
    await compact();
    await service.service.store.write((db) => removeSessionPositions(db, gameId, two));
    expect(await readAll(one)).toEqual(events);
    expect(await readAll(three)).toEqual(events);
    const db = service.service.store.readDb;
    for (const { id, points, player } of await db.selectFrom("position_blocks").selectAll().execute()) {
      const { xy, z } = await readBlockPoints(db, gameId, id);
      expect(xy.length).toBe(2 * points);
      if (player === "p1") expect([...(z ?? [])]).toEqual([4, -1, 4, -1]);
    }
  });

  it("shows the positions, the deaths and the last position of one player", async () => {
    const sessionId = await send("one");
    const death = { id: "d", name: "player_death", timestamp: NOW + 20, data: { x: 2, y: 3, room: "hall" } };
    await sendTelemetry(service, {
      ...{ gameId: "maze", sessionId, sessionEnded: true },
      events: [
        { ...death, data: { ...death.data, player: "p1" } },
        { ...death, id: "e" },
      ],
    });
    const read = async (search: string) => (await service.get(`/api/v1/heatmaps/maze${search}`)).json;
    const { rooms, eventCount, applied, marks } = await read("?player=p1&marks=deaths,quits");
    expect([eventCount, rooms[0].totalEvents, applied.player]).toEqual([2, 2, "p1"]);
    expect(marks).toMatchObject([
      { total: 1, withoutPosition: 0 },
      { total: 1, rooms: [{ points: [{ x: 1, y: 2, count: 1 }] }] },
    ]);
    expect((await read("?player=p3")).eventCount).toBe(0);
    expect((await read("?player=p2&source=all")).omitted.withoutPosition).toBe(0);
    const listed = await service.get(`/api/v1/sessions/${sessionId}/events?player=p2`);
    expect(listed.json.items.map(({ id }: { id: string }) => id)).toEqual(["e3", "e7"]);
    expect(listed.json.applied).toEqual({ player: "p2" });
  });

  it("shows its positions in the heatmap of the API document as before", async () => {
    await send("one");
    const [hall] = (await service.get("/api/v1/heatmaps/maze")).json.rooms;
    expect([hall.totalEvents, hall.bounds]).toEqual([8, { xMin: 1, xMax: 6, yMin: 2, yMax: 7 }]);
  });
});
