/** The densest cells match the view, and the bounds of cells tile the room. */

import { describe, expect, it } from "vitest";
import { cellBounds, densestCells } from "../../src/charts/densest.ts";
import fc from "../property.ts";
import { anyView, changed, density, densityRoom, differences } from "../render/heatmap/sample-views.ts";

describe("densestCells", () => {
  it("ranks cells across rooms, with their bounds, positions and share of all positions", () => {
    const hall = densityRoom({ 5: 7, 6: 7 }, { room: "Hall" });
    const cave = densityRoom({ 31: 86 });
    expect(densestCells(density([hall, cave], { notShown: 100 }), 2)).toEqual([
      { room: "Cave", xMin: 700, xMax: 800, yMin: 100, yMax: 200, positions: 86, share: 0.43, change: null },
      {
        room: "Hall",
        xMin: 500,
        xMax: 600,
        yMin: -200,
        yMax: -100,
        positions: 7,
        share: 0.035,
        change: null,
      },
    ]);
  });

  it("ranks changes by absolute size, and omits cells that did not change", () => {
    const same = { ...changed, counts: changed.counts.map((change) => (change === 0.0001 ? 0 : change)) };
    const cells = densestCells(differences([same]), 10);
    expect(cells.map(({ change }) => change)).toEqual([-0.04, 0.04, 0.03, -0.02]);
    expect(cells.map(({ positions, share }) => [positions, share])).toEqual(cells.map(() => [null, null]));
  });

  it("returns every cell in descending order", () => {
    fc.assert(
      fc.property(anyView, fc.nat(30), (view, limit) => {
        const cells = densestCells(view, limit);
        const sizes = view.rooms.flatMap(({ counts }) => counts.map((count) => Math.abs(count ?? 0)));
        const expected = sizes.filter((size) => size > 0).sort((a, b) => b - a);
        const ranked = cells.map(({ positions, change }) => Math.abs(positions ?? change ?? 0));
        expect(ranked).toEqual(expected.slice(0, limit));
      }),
    );
  });
});

describe("cellBounds", () => {
  it("tiles the room without gaps and ends exactly at its bounds", () => {
    fc.assert(
      fc.property(anyView, (view) => {
        for (const room of view.rooms) {
          const { bounds, cellsX, cellsY } = room;
          const last = cellBounds(room, cellsX * cellsY - 1);
          expect([cellBounds(room, 0).xMin, cellBounds(room, 0).yMin]).toEqual([bounds.xMin, bounds.yMin]);
          expect([last.xMax, last.yMax]).toEqual([bounds.xMax, bounds.yMax]);
          for (let x = 1; x < cellsX; x++) {
            expect(cellBounds(room, x).xMin).toBe(cellBounds(room, x - 1).xMax);
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});
