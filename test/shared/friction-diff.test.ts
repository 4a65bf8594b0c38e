/** The friction diff: examples of every kind, the threshold, rounding and order. */
import { describe, expect, it } from "vitest";
import { diffFriction, type FrictionChange, type TesterTagCounts } from "../../src/shared/friction-diff.ts";
import fc from "../property.ts";

const createCounts = (testers: number, tags: Record<string, number> = {}): TesterTagCounts => ({
  testers,
  byTag: Object.entries(tags).map(([tag, count]) => ({ tag, testers: count })),
});

const diffOf = (a: readonly [number, number], b: readonly [number, number]): FrictionChange | undefined =>
  diffFriction(createCounts(a[1], a[0] ? { t: a[0] } : {}), createCounts(b[1], b[0] ? { t: b[0] } : {}))
    .changes[0];

describe("one tag", () => {
  it.each<[string, [number, number], [number, number], string, number]>([
    ["gone", [4, 10], [0, 10], "resolved", -40],
    ["gone and rare before", [1, 100], [0, 10], "resolved", -1],
    ["gone without testers in b", [4, 10], [0, 0], "resolved", -40],
    ["new", [0, 10], [4, 10], "introduced", 40],
    ["new and rare", [0, 10], [1, 100], "introduced", 1],
    ["new without testers in a", [0, 0], [1, 4], "introduced", 25],
    ["the same", [3, 10], [3, 10], "carried_over", 0],
    ["a little more", [3, 10], [39, 100], "carried_over", 9],
    ["a little less", [39, 100], [3, 10], "carried_over", -9],
    ["10 points more", [3, 10], [4, 10], "got_larger", 10],
    ["10 points less", [4, 10], [3, 10], "got_smaller", -10],
    ["10 points more, which floating-point shares would miss", [11, 20], [13, 20], "got_larger", 10],
    ["10 points less, which floating-point shares would miss", [13, 20], [11, 20], "got_smaller", -10],
    ["10 points with 100 testers", [47, 100], [57, 100], "got_larger", 10],
    ["9.96 points, shown as 10", [5000, 10_000], [5996, 10_000], "carried_over", 10],
    ["just under 10", [1000, 10_000], [1999, 10_000], "carried_over", 10],
    ["much more", [1, 10], [9, 10], "got_larger", 80],
    ["much less", [9, 10], [1, 10], "got_smaller", -80],
    ["two thirds of the testers", [1, 3], [3, 3], "got_larger", 66.7],
    ["a third", [2, 3], [1, 3], "got_smaller", -33.3],
    ["a tiny increase", [1, 10_000], [2, 10_000], "carried_over", 0],
    ["a tiny decrease", [2, 10_000], [1, 10_000], "carried_over", 0],
  ])("classifies a change: %s", (_, a, b, kind, deltaPct) => {
    const change = diffOf(a, b);
    expect(change).toEqual({ kind, tag: "t", deltaPct, testersA: a[0], testersB: b[0] });
    expect(Object.is(change?.deltaPct, deltaPct)).toBe(true);
  });

  it("is classified exactly, without floating-point errors", () => {
    const count = fc.integer({ min: 1, max: 60 });
    const total = fc.integer({ min: 60, max: 200 });
    fc.assert(
      fc.property(count, total, count, total, (a, ofA, b, ofB) => {
        const scaled = BigInt(b * ofA - a * ofB) * 100n;
        const threshold = 10n * BigInt(ofA * ofB);
        const isChange = scaled >= threshold || scaled <= -threshold;
        const kind = !isChange ? "carried_over" : scaled > 0n ? "got_larger" : "got_smaller";
        const change = diffOf([a, ofA], [b, ofB]);
        expect(change?.kind).toBe(kind);
        expect(Math.abs((change?.deltaPct ?? 0) - ((b / ofB) * 100 - (a / ofA) * 100))).toBeLessThan(0.0501);
        expect((diffOf([b, ofB], [a, ofA])?.deltaPct ?? 0) + (change?.deltaPct ?? 0)).toBe(0);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("many tags", () => {
  it("are sorted by size and tag, and counted by kind", () => {
    const a = createCounts(10, { same: 5, b_down: 5, a_down: 5, gone: 9 });
    const b = createCounts(10, { same: 5, b_down: 2, a_down: 2, fresh: 3, up: 1, z_up: 1 });
    const { changes, totals } = diffFriction(a, b);
    expect(changes.map(({ tag, deltaPct }) => [tag, deltaPct])).toEqual([
      ["gone", -90],
      ["a_down", -30],
      ["b_down", -30],
      ["fresh", 30],
      ["up", 10],
      ["z_up", 10],
      ["same", 0],
    ]);
    expect(totals).toEqual({ resolved: 1, gotSmaller: 2, carriedOver: 1, gotLarger: 0, introduced: 3 });
  });

  it("are empty if neither build has any", () => {
    expect(diffFriction(createCounts(3), createCounts(0))).toEqual({
      changes: [],
      totals: { resolved: 0, gotSmaller: 0, carriedOver: 0, gotLarger: 0, introduced: 0 },
    });
  });
});
