/** Recovers exact positions from the intensities of a heatmap. */

import { describe, expect, it } from "vitest";
import { recoverCounts } from "../../src/charts/counts.ts";
import fc from "../property.ts";

/** A room in the format of the API. */
function toRoom(counts: readonly number[]) {
  const most = Math.log1p(counts.reduce((a, b) => Math.max(a, b), 0));
  const cells = counts.map((count, at) => ({
    x: at % 32,
    y: Math.floor(at / 32),
    intensity: Math.log1p(count) / most,
  }));
  return { cells, totalEvents: counts.reduce((a, b) => a + b, 0) };
}

const positions = fc.oneof(
  fc.integer({ min: 1, max: 5 }),
  fc.integer({ min: 1, max: 300 }),
  fc.integer({ min: 1, max: 1_000_000 }),
);

describe("recoverCounts", () => {
  it("recovers every count", () => {
    fc.assert(
      fc.property(fc.array(positions, { minLength: 1, maxLength: 576 }), (counts) => {
        const most = counts.reduce((a, b) => Math.max(a, b), 0);
        expect(recoverCounts(toRoom(counts))).toEqual({ counts, most, exact: true });
      }),
      { numRuns: 300 },
    );
  });

  it("returns approximate counts with exact: false if intensities are rounded or the total does not match", () => {
    const { cells, totalEvents } = toRoom([1, 7, 20, 300]);
    const rounded = cells.map((cell) => ({ ...cell, intensity: Number(cell.intensity.toFixed(2)) }));
    const result = recoverCounts({ cells: rounded, totalEvents });
    expect(result.exact).toBe(false);
    for (const [at, count] of [1, 7, 20, 300].entries()) {
      expect(Math.abs((result.counts[at] ?? 0) - count)).toBeLessThanOrEqual(count * 0.1);
    }
    expect(recoverCounts({ cells, totalEvents: totalEvents + 100 }).exact).toBe(false);
    expect(
      recoverCounts({ cells: cells.map((cell) => ({ ...cell, intensity: 0 })), totalEvents: 9 }).exact,
    ).toBe(false);
  });

  it("accepts rooms with no cells and with a million cells", () => {
    expect(recoverCounts({ cells: [], totalEvents: 0 })).toEqual({ counts: [], most: 0, exact: true });
    expect(recoverCounts({ cells: [], totalEvents: 3 }).exact).toBe(false);
    const counts = Array.from({ length: 1_000_000 }, (_, at) => 1 + (at % 7));
    expect(recoverCounts(toRoom(counts))).toMatchObject({ most: 7, exact: true });
  });
});
