/** Heatmaps without outliers: who fell out of the world does not squeeze everybody else into one row. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildDensityView } from "../../../src/charts/heatmap.ts";
import { describeOmitted } from "../../../src/charts/heatmap-notes.ts";
import { findKeysWithChunks, moveChunks } from "../../../src/server/positions/block-queries.ts";
import { cropRange } from "../../../src/shared/robust-range.ts";
import { SOURCES } from "../../../src/shared/session-sources.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";

const FALLEN = { x: 5, y: -1_000_000 };

describe("the range of most values", () => {
  const even = Array.from({ length: 1001 }, (_, at) => at);

  it("is none if all values fit into a picture", () => {
    expect(cropRange(even, [0, 1000])).toBeNull();
    expect(cropRange([...even, -100], [-100, 1000])).toBeNull();
  });

  it("leaves a margin of 5 % around the quantiles 0.5 % and 99.5 %", () => {
    const [min, max] = cropRange([...even, -1e6], [-1e6, 1000]) ?? [];
    expect(min).toBeCloseTo(5 - 0.05 * 990, -1);
    expect(max).toBe(1000);
  });

  it("leaves out none of a few values, and at most one at each end of some", () => {
    expect(cropRange([0, 40, 50, 60, 1e6], [0, 1e6])).toBeNull();
    const some = Array.from({ length: 40 }, (_, at) => at);
    expect(cropRange([...some, 1e6, 1e6], [0, 1e6])).toBeNull();
    expect(cropRange([...some, 1e6], [0, 1e6])?.[1]).toBeLessThan(50);
  });

  it("is none if most values are alike, or there are none", () => {
    expect(cropRange([...new Array<number>(500).fill(7), 9], [7, 9])).toBeNull();
    expect(cropRange([], [0, 0])).toBeNull();
  });

  it("is found among the largest doubles", () => {
    const limit = Number.MAX_VALUE;
    expect(cropRange([...even, -limit, limit], [-limit, limit])?.[1]).toBeLessThan(2000);
  });
});

describe("a heatmap", () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService();
    await service.addGame("maze");
    const points = Array.from({ length: 1500 }, (_, at) => ({ x: at % 40, y: Math.floor(at / 40) }));
    const events = [...points, FALLEN].map((data, at) => ({
      ...{ id: `e${at}`, name: "player_pos", timestamp: NOW + at, data: { ...data, room: "hall" } },
    }));
    await sendTelemetry(service, {
      gameId: "maze",
      clientSessionId: "one",
      source: SOURCES.unity,
      events: events.slice(0, 700),
    });
    await sendTelemetry(service, {
      gameId: "maze",
      clientSessionId: "two",
      source: SOURCES.unity,
      events: events.slice(700),
    });
  });
  afterEach(() => service.stop());

  const read = async (search: string) => (await service.get(`/api/v1/heatmaps/maze${search}`)).json;

  it("has the bounds of all positions, unless it is asked for others", async () => {
    const document = await read("");
    const [room] = document.rooms;
    expect(room.bounds).toEqual({ xMin: 0, xMax: 39, yMin: -1_000_000, yMax: 37 });
    expect(new Set(room.cells.map(({ y }: { y: number }) => y))).toEqual(new Set([0, 17]));
    expect(await read("?bounds=full")).toEqual({ ...document, applied: { bounds: "full" } });
  });

  it("draws the others, and counts who is outside", async () => {
    const { rooms, eventCount } = await read("?bounds=robust");
    const [room] = rooms;
    expect([eventCount, room.totalEvents, room.outside]).toEqual([1501, 1501, 1]);
    expect(room.bounds).toMatchObject({ xMin: 0, xMax: 39, yMax: 37 });
    expect(room.bounds.yMin).toBeGreaterThanOrEqual(-3);
    expect(room.cells.length).toBeGreaterThan(400);
  });

  it("stays right when positions arrive and are compacted", async () => {
    const before = await read("?bounds=robust");
    const { store } = service.service;
    for (const key of await findKeysWithChunks(store.readDb, 1))
      await store.write((db) => moveChunks(db, key, 1));
    expect(await read("?bounds=robust")).toEqual(before);
    const far = { id: "far", name: "player_pos", timestamp: NOW, data: { x: 1e9, y: 3, room: "hall" } };
    await sendTelemetry(service, {
      gameId: "maze",
      clientSessionId: "three",
      source: SOURCES.unity,
      events: [far],
    });
    expect((await read("?bounds=robust")).rooms[0].outside).toBe(2);
  });

  it("marks no death outside", async () => {
    const events = [{ id: "d", name: "player_death", timestamp: NOW, data: { ...FALLEN, room: "hall" } }];
    await sendTelemetry(service, { gameId: "maze", clientSessionId: "four", source: SOURCES.unity, events });
    const heatmap = await read("?bounds=robust&marks=deaths");
    expect(buildDensityView(heatmap).rooms.map(({ marks }) => marks)).toEqual([[]]);
    expect(describeOmitted(heatmap, { event: undefined, source: undefined })).toEqual([
      "1 outlying position is outside the picture.",
    ]);
  });
});
