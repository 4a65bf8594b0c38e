/** The heatmap is, to the last bit, what a plain recomputation over all points gives: on generated play and on recorded. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";
import { bodiesOf, isThere, sendAll } from "./files.ts";
import { naiveHeatmap } from "./naive-heatmap.ts";
import { heatmapOf, playAll, type Sitting } from "./sittings.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.stop());

/** Coordinates with ties at cells' edges, tiny and large extents, and ordinary play. */
const coordinate = fc.oneof(
  fc.integer({ min: 0, max: 64 }),
  fc.integer({ min: 0, max: 64 * 18 }).map((n) => n / 18),
  fc.constantFrom(
    0,
    -0,
    0.1,
    0.2,
    0.30000000000000004,
    5e-324,
    1e-300,
    0.9999999999999999,
    -0.9999999999999999,
    1e150,
    -1e150,
  ),
  fc.double({ min: -512, max: 512, noNaN: true }),
);
const position = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({ x: coordinate, y: coordinate, room: fc.nat(17).map((n) => `room-${n}`) }),
  },
  { weight: 2, arbitrary: fc.record({ x: fc.constant(3), y: coordinate, room: fc.constant("narrow") }) },
  {
    weight: 1,
    arbitrary: fc.record({ x: coordinate, y: coordinate, room: fc.constant("hall"), speed: fc.nat() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      x: fc.constantFrom<unknown>("1", null, 5),
      y: coordinate,
      room: fc.constantFrom<unknown>("", 7, "hall"),
    }),
  },
);
const sitting: fc.Arbitrary<Sitting> = fc.record({
  source: fc.constantFrom("unity-telemetry", "unity-telemetry", "unity-telemetry", "godot-telemetry"),
  build: fc.constantFrom("1.0", "1.1"),
  env: fc.constantFrom("production", "staging"),
  batches: fc.array(fc.array(position, { maxLength: 120 }), { maxLength: 3 }),
});

it("equals the recomputation on generated play, whole and narrowed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(sitting, { maxLength: 4 }), async (sittings) => {
      const { slug, taken } = await playAll(service, sittings);
      expect(await heatmapOf(service, slug)).toStrictEqual(naiveHeatmap(taken(() => true)));
      expect(await heatmapOf(service, slug, "?build=1.0")).toStrictEqual(
        naiveHeatmap(taken(({ build }) => build === "1.0")),
      );
      expect(await heatmapOf(service, slug, "?env=staging")).toStrictEqual(
        naiveHeatmap(taken(({ env }) => env === "staging")),
      );
    }),
    { numRuns: 60 },
  );
});

describe.runIf(isThere("osu"))("on recorded play", () => {
  it("equals the recomputation to the bit", async () => {
    await service.addGame("osu");
    const bodies = bodiesOf("osu");
    await sendAll(service, bodies);
    const answer = await heatmapOf(service, "osu");
    expect(answer).toStrictEqual(naiveHeatmap(bodies.flatMap(({ events }) => events)));
    expect(answer.eventCount).toBeGreaterThan(50_000);
    const builds = new Set(bodies.map(({ sessionMetadata }) => sessionMetadata.gameVersion));
    for (const build of builds) {
      const own = bodies.filter(({ sessionMetadata }) => sessionMetadata.gameVersion === build);
      expect(await heatmapOf(service, "osu", `?build=${build}`)).toStrictEqual(
        naiveHeatmap(own.flatMap(({ events }) => events)),
      );
    }
  });
});

it("reported no fault of its own", () => {
  expect(service.faults).toEqual([]);
});
