/** The positions of cells come back exactly from what the service tells. */

import { describe, expect, it } from "vitest";
import { recoverCounts } from "../../src/charts/counts.ts";
import fc from "../property.ts";

/** A room as the service tells it. */
function told(counts: readonly number[]) {
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
  it("gives back every count", () => {
    fc.assert(
      fc.property(fc.array(positions, { minLength: 1, maxLength: 576 }), (counts) => {
        const most = counts.reduce((a, b) => Math.max(a, b), 0);
        expect(recoverCounts(told(counts))).toEqual({ counts, most, exact: true });
      }),
      { numRuns: 300 },
    );
  });

  it("gives the nearest and says so, where the service rounds or does not count what it tells", () => {
    const { cells, totalEvents } = told([1, 7, 20, 300]);
    const rounded = cells.map((cell) => ({ ...cell, intensity: Number(cell.intensity.toFixed(2)) }));
    const found = recoverCounts({ cells: rounded, totalEvents });
    expect(found.exact).toBe(false);
    for (const [at, count] of [1, 7, 20, 300].entries()) {
      expect(Math.abs((found.counts[at] ?? 0) - count)).toBeLessThanOrEqual(count * 0.1);
    }
    expect(recoverCounts({ cells, totalEvents: totalEvents + 100 }).exact).toBe(false);
    expect(
      recoverCounts({ cells: cells.map((cell) => ({ ...cell, intensity: 0 })), totalEvents: 9 }).exact,
    ).toBe(false);
  });

  it("takes a room without cells, and one of a million", () => {
    expect(recoverCounts({ cells: [], totalEvents: 0 })).toEqual({ counts: [], most: 0, exact: true });
    expect(recoverCounts({ cells: [], totalEvents: 3 }).exact).toBe(false);
    const counts = Array.from({ length: 1_000_000 }, (_, at) => 1 + (at % 7));
    expect(recoverCounts(told(counts))).toMatchObject({ most: 7, exact: true });
  });
});
