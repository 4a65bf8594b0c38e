/** Bucketing: the published test vectors, and the distribution of players. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import {
  computeAllocationShares,
  computeBucket,
  findVariantKey,
} from "../../../src/server/experiments/bucketing.ts";

const docs = readFileSync(
  join(import.meta.dirname, "..", "..", "..", "docs", "guide", "experiments.md"),
  "utf8",
);

/** The rows of the table of test vectors: experiment, game, device (as JSON) and bucket. */
const vectors = [...docs.matchAll(/^\| `(exp_\w+)` +\| `(game_\w+)` +\| `(".*")` +\| (0\.\d+) +\|$/gm)].map(
  ([, experiment = "", game = "", device = "", place]) =>
    [experiment, game, JSON.parse(device) as string, Number(place)] as const,
);

describe("the bucket of a device", () => {
  it("does not change between versions", () => {
    expect(computeBucket("exp_1", "game_1", "device-1")).toBeCloseTo(0.255339327509688, 15);
  });

  it("is published in eight test vectors", () => expect(vectors).toHaveLength(8));

  test.each(vectors)("of %s, %s, %s equals the published one", (experiment, game, device, place) => {
    expect(computeBucket(experiment, game, device)).toBe(place);
  });

  it("depends on each of the three ids, and on their boundaries", () => {
    const places = [
      computeBucket("exp_1", "game_1", "device-1"),
      computeBucket("exp_2", "game_1", "device-1"),
      computeBucket("exp_1", "game_2", "device-1"),
      computeBucket("exp_1", "game_1", "device-2"),
      computeBucket('exp_1","game_1', "", "device-1"),
    ];
    expect(new Set(places).size).toBe(places.length);
  });
});

const variantsWith = (...allocations: number[]) =>
  allocations.map((allocation, at) => ({ key: `v${at}`, name: "", allocation }));

describe("the variant of a bucket", () => {
  it("is the one whose interval contains it, including its lower bound", () => {
    const variants = variantsWith(25, 50, 25);
    const at = (place: number) => findVariantKey(variants, place);
    expect([0, 0.2499, 0.25, 0.7499, 0.75, 1 - 2 ** -48].map(at)).toEqual([
      "v0",
      "v0",
      "v1",
      "v1",
      "v2",
      "v2",
    ]);
  });

  it("works with allocations that do not add up to 100", () => {
    expect(computeAllocationShares(variantsWith(1, 3))).toEqual([0.25, 0.75]);
    expect([0.2, 0.3].map((place) => findVariantKey(variantsWith(1, 3), place))).toEqual(["v0", "v1"]);
    expect(findVariantKey(variantsWith(0.1, 0.2, 0.7), 1 - 2 ** -48)).toBe("v2");
  });

  it("distributes devices as allocated", () => {
    const counts = new Map<string | null, number>();
    for (let device = 0; device < 10_000; device += 1) {
      const key = findVariantKey(
        variantsWith(20, 30, 50),
        computeBucket("exp_a", "game_a", `device ${device}`),
      );
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    // At most five standard deviations, which a correct distribution exceeds about once in a million runs.
    for (const [key, share] of [
      ["v0", 0.2],
      ["v1", 0.3],
      ["v2", 0.5],
    ] as const) {
      const reach = 5 * Math.sqrt(10_000 * share * (1 - share));
      expect(Math.abs((counts.get(key) ?? 0) - 10_000 * share)).toBeLessThan(reach);
    }
  });
});
