/** The changes between two builds: the same kinds, changes and order as on the service. */

import { describe, expect, test } from "vitest";
import { diffTags, type GateBuild, toGateBuild, toTagChanges } from "../../src/gate/build-comparison.ts";
import { unknownPlay } from "./samples.ts";

const buildOf = (
  version: string,
  { testers, byTag }: { testers: number; byTag: Record<string, number> },
): GateBuild => ({
  version,
  testers,
  sessions: testers,
  byTag: new Map(Object.entries(byTag).map(([tag, count]) => [tag, { testers: count, insights: count * 2 }])),
  ...unknownPlay,
});

test.each([
  [7, 25, 38, 100, "got_larger", 10],
  [1, 30, 4, 30, "got_larger", 10],
  [29, 100, 39, 100, "got_larger", 10],
  [4, 30, 1, 30, "got_smaller", -10],
])(
  "the change from %i of %i to %i of %i is exactly 10 percentage points",
  (testersA, totalA, testersB, totalB, kind, deltaPct) => {
    const [change] = diffTags(
      buildOf("a", { testers: totalA, byTag: { confusion: testersA } }),
      buildOf("b", { testers: totalB, byTag: { confusion: testersB } }),
    );
    expect(change).toMatchObject({ kind, deltaPct });
  },
);

describe("converting a comparison", () => {
  test("keeps all values, with null for missing ones", () => {
    expect(toGateBuild({ version: "0.9.0", testersInBatch: 4 })).toEqual({
      version: "0.9.0",
      testers: 4,
      sessions: null,
      byTag: null,
      ...unknownPlay,
    });
    const tagged = { tag: "confusion", testersWithTag: 2, testersInBatch: 4, pct: 50, insightCount: 3 };
    const build = toGateBuild({ version: "0.9.0", testersInBatch: 4, sessionCount: 6, byTag: [tagged] });
    expect(build.sessions).toBe(6);
    expect(build.byTag?.get("confusion")).toEqual({ testers: 2, insights: 3 });
  });

  test("keeps unknown kinds of change, with null for missing counts", () => {
    const totals = { resolved: 0, gotSmaller: 0, carriedOver: 0, gotLarger: 0, introduced: 0 };
    const changes = toTagChanges({
      diff: { changes: [{ kind: "a_later_kind", tag: "confusion", deltaPct: 3 }], totals },
    });
    expect(changes).toEqual([
      { tag: "confusion", kind: "a_later_kind", deltaPct: 3, testersA: null, testersB: null },
    ]);
  });
});
