/** The friction diff: worked examples of every kind, the threshold, the rounding, the order and who counts as a tester. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BuildComparison, Change } from "../../../src/contract/builds.ts";
import { frictionTypes, type InsightType, insightTypes } from "../../../src/contract/insights.ts";
import { diffFriction } from "../../../src/server/builds/friction.ts";
import type { BuildFriction } from "../../../src/server/builds/queries.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";
import { play, rowOf } from "../play.ts";

const side = (testers: number, tags: Record<string, number> = {}): BuildFriction => ({
  testers,
  sessions: testers,
  byTag: Object.entries(tags).map(([tag, count]) => ({ tag, testers: count, insights: count })),
});

const diffOf = (a: readonly [number, number], b: readonly [number, number]): Change | undefined =>
  diffFriction(side(a[1], a[0] ? { t: a[0] } : {}), side(b[1], b[0] ? { t: b[0] } : {})).changes[0];

describe("one tag", () => {
  it.each<[string, [number, number], [number, number], string, number]>([
    ["gone", [4, 10], [0, 10], "resolved", -40],
    ["gone, however rare it was", [1, 100], [0, 10], "resolved", -1],
    ["gone because nobody plays", [4, 10], [0, 0], "resolved", -40],
    ["new", [0, 10], [4, 10], "introduced", 40],
    ["new, however rare", [0, 10], [1, 100], "introduced", 1],
    ["new where nobody played before", [0, 0], [1, 4], "introduced", 25],
    ["the same", [3, 10], [3, 10], "carried_over", 0],
    ["a little more", [3, 10], [39, 100], "carried_over", 9],
    ["a little less", [39, 100], [3, 10], "carried_over", -9],
    ["10 points more", [3, 10], [4, 10], "got_larger", 10],
    ["10 points less", [4, 10], [3, 10], "got_smaller", -10],
    ["10 points more, which doubles miss", [11, 20], [13, 20], "got_larger", 10],
    ["10 points less, which doubles miss", [13, 20], [11, 20], "got_smaller", -10],
    ["10 points of a hundred", [47, 100], [57, 100], "got_larger", 10],
    ["9.96 points, shown as 10", [5000, 10_000], [5996, 10_000], "carried_over", 10],
    ["just under 10", [1000, 10_000], [1999, 10_000], "carried_over", 10],
    ["much more", [1, 10], [9, 10], "got_larger", 80],
    ["much less", [9, 10], [1, 10], "got_smaller", -80],
    ["two thirds of the testers", [1, 3], [3, 3], "got_larger", 66.7],
    ["a third", [2, 3], [1, 3], "got_smaller", -33.3],
    ["hardly anything", [1, 10_000], [2, 10_000], "carried_over", 0],
    ["hardly anything less", [2, 10_000], [1, 10_000], "carried_over", 0],
  ])("%s", (_, a, b, kind, deltaPct) => {
    const change = diffOf(a, b);
    expect(change).toEqual({ kind, tag: "t", deltaPct, testersA: a[0], testersB: b[0] });
    expect(Object.is(change?.deltaPct, deltaPct)).toBe(true);
  });

  it("is told by whole testers exactly, whatever doubles make of the shares", () => {
    const count = fc.integer({ min: 1, max: 60 });
    const of = fc.integer({ min: 60, max: 200 });
    fc.assert(
      fc.property(count, of, count, of, (a, ofA, b, ofB) => {
        const scaled = BigInt(b * ofA - a * ofB) * 100n;
        const least = 10n * BigInt(ofA * ofB);
        const material = scaled >= least || scaled <= -least;
        const kind = !material ? "carried_over" : scaled > 0n ? "got_larger" : "got_smaller";
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
  it("come with the largest changes first, ties by tag, and are counted by kind", () => {
    const a = side(10, { same: 5, b_down: 5, a_down: 5, gone: 9 });
    const b = side(10, { same: 5, b_down: 2, a_down: 2, fresh: 3, up: 1, z_up: 1 });
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

  it("are none where neither build has any", () => {
    expect(diffFriction(side(3), side(0))).toEqual({
      changes: [],
      totals: { resolved: 0, gotSmaller: 0, carriedOver: 0, gotLarger: 0, introduced: 0 },
    });
  });
});

describe("over the API", () => {
  let service: TestService;
  let inserted = 0;

  /** A session of a build with findings of these tags. */
  async function sit(
    gameVersion: string,
    deviceId: string | null,
    tags: readonly string[],
    environment = "production",
  ) {
    const body = {
      gameId: "maze",
      environment,
      sessionMetadata: { gameVersion },
      ...(deviceId ? { deviceId } : {}),
    };
    const row = await rowOf(service, await play(service, body));
    for (const tag of tags) {
      inserted += 1;
      const { game_id, account_id, build, tester } = row;
      const type = tag.split(":")[0] as InsightType;
      const finding = {
        type,
        tag,
        sentiment: "negative" as const,
        confidence: 1,
        title: "t",
        evidence: "e",
        created_at: NOW,
      };
      await service.service.store.write
        .insertInto("insights")
        .values({
          game_id,
          id: `ins_${inserted}`,
          account_id,
          session_id: row.id,
          build,
          environment,
          tester,
          ...finding,
        })
        .execute();
    }
  }

  const compare = async (search: string): Promise<BuildComparison> => {
    const answer = await service.get(`/api/v1/builds/compare?game=maze&${search}`);
    expect(answer.status).toBe(200);
    return answer.json;
  };

  beforeAll(async () => {
    service = await startTestService();
    await service.addGame("maze");
    for (const type of insightTypes) await sit("types", "d", [`${type}:x`]);
    await sit("1", "ann", ["stuck-point:hall", "stuck-point:hall", "confusion:menu"]);
    await sit("1", "ann", ["stuck-point:hall"]);
    await sit("1", "bob", []);
    await sit("1", null, ["confusion:menu"]);
    await sit("1", null, []);
    await sit("2", "ann", ["confusion:menu"]);
    await sit("2", "eve", [], "staging");
    await sit("3", "eve", ["bug-report:crash"], "staging");
  });

  afterAll(async () => {
    expect(service.faults).toEqual([]);
    await service.stop();
  });

  it("counts a tester once a device, and each session without one by itself", async () => {
    const { buildA, environment, game } = await compare("a=1&b=2");
    expect([environment, game.slug]).toEqual(["production", "maze"]);
    expect(buildA).toEqual({
      version: "1",
      testersInBatch: 4,
      sessionCount: 5,
      byTag: [
        { tag: "confusion:menu", testersWithTag: 2, testersInBatch: 4, pct: 50, insightCount: 2 },
        { tag: "stuck-point:hall", testersWithTag: 1, testersInBatch: 4, pct: 25, insightCount: 3 },
      ],
    });
  });

  it("diffs the shares within the environment, production unless told", async () => {
    const { diff, buildB } = await compare("a=1&b=2");
    expect(buildB).toMatchObject({ testersInBatch: 1, sessionCount: 1 });
    expect(diff.changes).toEqual([
      { kind: "got_larger", tag: "confusion:menu", deltaPct: 50, testersA: 2, testersB: 1 },
      { kind: "resolved", tag: "stuck-point:hall", deltaPct: -25, testersA: 1, testersB: 0 },
    ]);
    expect(diff.totals).toEqual({ resolved: 1, gotSmaller: 0, carriedOver: 0, gotLarger: 1, introduced: 0 });
  });

  it("takes every environment with all, and one without testers as empty", async () => {
    const all = await compare("a=1&b=2&env=all");
    expect([all.environment, all.buildB.testersInBatch, all.diff.changes[0]?.tag]).toEqual([
      "all",
      2,
      "stuck-point:hall",
    ]);
    const staging = await compare("a=2&b=3&env=staging");
    expect([staging.buildA.testersInBatch, staging.buildB.testersInBatch]).toEqual([1, 1]);
    expect(staging.diff.changes).toEqual([
      { kind: "introduced", tag: "bug-report:crash", deltaPct: 100, testersA: 0, testersB: 1 },
    ]);
    const nobody = await compare("a=1&b=3");
    expect(nobody.buildB).toEqual({ version: "3", testersInBatch: 0, sessionCount: 0, byTag: [] });
    expect(nobody.diff.totals).toMatchObject({ resolved: 2 });
  });

  it("counts the types of friction alone", async () => {
    const { buildA, diff } = await compare("a=types&b=types");
    expect(buildA.byTag?.map(({ tag }) => tag)).toEqual([...frictionTypes].sort().map((type) => `${type}:x`));
    expect(diff.totals).toEqual({
      resolved: 0,
      gotSmaller: 0,
      carriedOver: frictionTypes.length,
      gotLarger: 0,
      introduced: 0,
    });
  });

  it("knows builds of every environment, and no others", async () => {
    for (const search of ["a=none&b=1", "a=1&b=none"]) {
      expect((await service.get(`/api/v1/builds/compare?game=maze&${search}`)).status).toBe(404);
    }
    expect((await service.get("/api/v1/builds/compare?game=maze&a=1&b=3&env=nowhere")).status).toBe(200);
  });
});
