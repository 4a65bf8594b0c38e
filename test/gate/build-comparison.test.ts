/** The changes between two sides: the same kinds, points and order as the service tells. */

import { describe, expect, test } from "vitest";
import { diffTags, type GateBuild, toGateBuild, toTagChanges } from "../../src/gate/build-comparison.ts";

const toSide = (
  version: string,
  { testers, byTag }: { testers: number; byTag: Record<string, number> },
): GateBuild => ({
  version,
  testers,
  sessions: testers,
  byTag: new Map(Object.entries(byTag).map(([tag, count]) => [tag, { testers: count, insights: count * 2 }])),
  stats: null,
});

test.each([
  [7, 25, 38, 100, "got_larger", 10],
  [1, 30, 4, 30, "got_larger", 10],
  [29, 100, 39, 100, "got_larger", 10],
  [4, 30, 1, 30, "got_smaller", -10],
])("%i of %i to %i of %i is exactly ten points", (metA, ofA, metB, ofB, kind, deltaPct) => {
  const [change] = diffTags(
    toSide("a", { testers: ofA, byTag: { confusion: metA } }),
    toSide("b", { testers: ofB, byTag: { confusion: metB } }),
  );
  expect(change).toMatchObject({ kind, deltaPct });
});

describe("what a comparison tells", () => {
  test("is taken as it is, and what it does not tell is null", () => {
    expect(toGateBuild({ version: "0.9.0", testersInBatch: 4 })).toEqual({
      version: "0.9.0",
      testers: 4,
      sessions: null,
      byTag: null,
      stats: null,
    });
    const tagged = { tag: "confusion", testersWithTag: 2, testersInBatch: 4, pct: 50, insightCount: 3 };
    const side = toGateBuild({ version: "0.9.0", testersInBatch: 4, sessionCount: 6, byTag: [tagged] });
    expect(side.sessions).toBe(6);
    expect(side.byTag?.get("confusion")).toEqual({ testers: 2, insights: 3 });
  });

  test("its changes keep kinds that are not known, and counts that are missing are null", () => {
    const totals = { resolved: 0, gotSmaller: 0, carriedOver: 0, gotLarger: 0, introduced: 0 };
    const changes = toTagChanges({
      game: { id: "game_1", userId: "u", slug: "ember", name: "Ember", createdAt: 0 },
      environment: "production",
      buildA: { version: "a", testersInBatch: 1 },
      buildB: { version: "b", testersInBatch: 1 },
      diff: { changes: [{ kind: "a_later_kind", tag: "confusion", deltaPct: 3 }], totals },
    });
    expect(changes).toEqual([
      { tag: "confusion", kind: "a_later_kind", deltaPct: 3, testersA: null, testersB: null },
    ]);
  });
});
