/** Density views: the exact positions of every cell, and grids of any size. */

import { expect, test } from "vitest";
import { buildDensityView } from "../../src/charts/heatmap.ts";
import { addChunk, createCellCounts, toHeatmapRoom } from "../../src/server/positions/heatmap.ts";
import fc from "../property.ts";

const game = { id: "game_1", userId: "usr_1", name: "Ember", slug: "ember", createdAt: 0 };

test("the positions of each cell are recovered exactly from the intensities of the service", () => {
  const cell = fc.record({
    x: fc.integer({ min: 0, max: 31 }),
    y: fc.integer({ min: 0, max: 17 }),
    n: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3000 })),
  });
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 60 }), (filled) => {
      const counted = new Map<number, number>([
        [0, 1],
        [575, 1],
      ]);
      for (const { x, y, n } of filled) counted.set(y * 32 + x, (counted.get(y * 32 + x) ?? 0) + n);
      const xs: number[] = [];
      const ys: number[] = [];
      for (const [at, n] of counted) {
        const [x, y] = [at % 32, Math.floor(at / 32)];
        for (let repeat = 0; repeat < n; repeat += 1) {
          xs.push(x === 31 ? 32 : x);
          ys.push(y === 17 ? 18 : y);
        }
      }
      const extent = { room: "hall", points: xs.length, xMin: 0, xMax: 32, yMin: 0, yMax: 18 };
      const counts = createCellCounts();
      addChunk(counts, extent, Float64Array.from([...xs, ...ys]));
      const response = JSON.parse(toHeatmapRoom(extent, counts).text);
      const [room] = buildDensityView({ game, rooms: [response], eventCount: xs.length }).rooms;
      expect(room?.exact).toBe(true);
      expect(room?.counts).toEqual(Array.from({ length: 576 }, (_, at) => counted.get(at) ?? null));
    }),
    { numRuns: 100 },
  );
});

test("large grids are merged into at most 128 by 128 cells, and cells outside the grid are ignored", () => {
  const most = Math.log1p(3);
  const cells = [
    { x: 0, y: 0, intensity: 1 },
    { x: 1, y: 0, intensity: Math.log1p(2) / most },
    { x: 999_999_999, y: 0, intensity: Math.log1p(1) / most },
    { x: 5, y: 2_000_000_000, intensity: Math.log1p(1) / most },
  ];
  const bounds = { xMin: 0, xMax: 1, yMin: 0, yMax: 1 };
  const room = { room: "vast", cellsX: 1e9, cellsY: 1e9, cells, totalEvents: 7, bounds };
  const [drawn] = buildDensityView({ game, rooms: [room], eventCount: 7 }).rooms;
  expect(drawn).toMatchObject({ cellsX: 128, cellsY: 128, exact: false, most: 5 });
  expect(drawn?.counts[0]).toBe(5);
  expect(drawn?.counts[127]).toBe(1);
  expect(drawn?.values[0]).toBe(1);
});
