/** Differences between two builds: exact on equal bounds, otherwise spread by area. */

import { describe, expect, test } from "vitest";
import { buildDifferenceView } from "../../src/charts/heatmap.ts";
import type { Heatmap, HeatmapRoom } from "../../src/contract/heatmaps.ts";
import {
  addChunk,
  createCellCounts,
  toHeatmapRoom as roomOfCounts,
} from "../../src/server/positions/heatmap.ts";
import fc from "../property.ts";

const game = { id: "game_1", userId: "usr_1", name: "Ember", slug: "ember", createdAt: 0 };

const heatmapOf = (rooms: readonly HeatmapRoom[], more = 0): Heatmap => ({
  game,
  rooms: [...rooms],
  eventCount: rooms.reduce((sum, { totalEvents }) => sum + totalEvents, more),
});

type Point = readonly [x: number, y: number];

/** A room that the service builds from these positions. */
function roomOf(points: readonly Point[], room = "hall"): HeatmapRoom {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const extent = {
    room,
    points: points.length,
    xMin: Math.min(...xs),
    xMax: Math.max(...xs),
    yMin: Math.min(...ys),
    yMax: Math.max(...ys),
  };
  const counts = createCellCounts();
  addChunk(counts, extent, Float64Array.from([...xs, ...ys]));
  return JSON.parse(roomOfCounts(extent, counts).text) as HeatmapRoom;
}

function difference(a: readonly HeatmapRoom[], b: readonly HeatmapRoom[], more = 0) {
  return buildDifferenceView(
    { build: "1", heatmap: heatmapOf(a, more), unknown: new Set() },
    { build: "2", heatmap: heatmapOf(b), unknown: new Set() },
  );
}

const corners: readonly Point[] = [
  [0, 0],
  [320, 180],
];

describe("with equal bounds", () => {
  test("a cell's change is its exact share in b minus its share in a", () => {
    const a = roomOf([...corners, [5, 5], [6, 6]]);
    const b = roomOf([...corners, [5, 5], [15, 5], [15, 6], [16, 6], [17, 7], [18, 8]]);
    const [room] = difference([a], [b]).rooms;
    expect(room).toMatchObject({ resampled: false, exact: true, total: 8, before: 4, missing: null });
    expect(room?.counts[0]).toBe(2 / 8 - 3 / 4);
    expect(room?.counts[1]).toBe(5 / 8);
    expect(room?.counts[32 * 18 - 1]).toBe(1 / 8 - 1 / 4);
    expect(room?.counts.filter((count) => count !== null)).toHaveLength(3);
    expect(room?.most).toBe(5 / 8);
    expect(room?.values[1]).toBe(1);
  });

  test("no cell changes if the positions are equal", () => {
    const a = roomOf([...corners, [100, 100]]);
    const [room] = difference([a], [a]).rooms;
    expect(room?.counts.filter((count) => count !== null)).toEqual([0, 0, 0]);
    expect(room?.most).toBe(0);
  });
});

describe("with different bounds", () => {
  test("a cell is spread by area over the common cells that it covers", () => {
    // a's cells are 10 by 10 and the common cells are 20 by 10, so two of a's cells make one.
    const a = roomOf([...corners, [5, 5], [15, 5]]);
    const b = roomOf([
      [0, 0],
      [640, 180],
    ]);
    const [room] = difference([a], [b]).rooms;
    expect(room).toMatchObject({ resampled: true, bounds: { xMin: 0, xMax: 640, yMin: 0, yMax: 180 } });
    expect(room?.counts[0]).toBeCloseTo(1 / 2 - 3 / 4, 12);
    expect(room?.counts[15 + 17 * 32]).toBeCloseTo(-1 / 4, 12);
    expect(room?.counts[31 + 17 * 32]).toBeCloseTo(1 / 2, 12);
  });

  test("the changes add up to zero for any bounds", () => {
    const coordinate = fc.oneof(
      fc.integer({ min: -1000, max: 1000 }),
      fc.double({ min: -1e308, max: 1e308, noNaN: true }),
      fc.constantFrom(0, 1e-320),
    );
    const points = fc.array(fc.tuple(coordinate, coordinate), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(points, points, (left, right) => {
        const [room] = difference([roomOf(left)], [roomOf(right)]).rooms;
        const changes = room?.counts.map((count) => count ?? 0) ?? [];
        expect(changes.every(Number.isFinite)).toBe(true);
        expect(Math.abs(changes.reduce((sum, change) => sum + change, 0))).toBeLessThan(1e-9);
        expect(changes.every((change) => Math.abs(change) <= 1 + 1e-9)).toBe(true);
        const values = room?.values.map((value) => Math.abs(value ?? 0)) ?? [];
        expect(Math.max(...values)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 300 },
    );
  });

  test("a room with a single point keeps it on the common bounds", () => {
    const [room] = difference([roomOf([[160, 90]])], [roomOf(corners)]).rooms;
    expect(room?.counts[16 + 9 * 32]).toBe(-1);
    expect(room?.counts.filter((count) => count !== null)).toHaveLength(3);
  });
});

test("rooms of only one build are marked, b's rooms come first, and positions that are not shown are counted", () => {
  const both = roomOf(corners, "both");
  const view = difference([both, roomOf(corners, "old")], [roomOf(corners, "new"), both], 7);
  expect(view.rooms.map(({ room, missing }) => [room, missing])).toEqual([
    ["new", "a"],
    ["both", null],
    ["old", "b"],
  ]);
  expect(view.rooms.map(({ counts }) => counts[0])).toEqual([null, 0, null]);
  expect(view.rooms.map(({ single }) => single?.counts[0])).toEqual([1, undefined, 1]);
  expect(view).toMatchObject({ sides: { a: "1", b: "2" }, positions: 4, notShown: 7 });
});
