/** Heatmaps of generated and recorded sessions equal a straightforward recomputation exactly. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";
import { naiveHeatmap } from "./naive-heatmap.ts";
import { type PositionSession, readHeatmap, sendSessions } from "./position-sessions.ts";
import { hasRecordedFiles, readBodies, sendAll } from "./recorded-files.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.stop());

/** Coordinates on cell edges, in tiny and large extents, and ordinary ones. */
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
const session: fc.Arbitrary<PositionSession> = fc.record({
  source: fc.constantFrom("unity-telemetry", "unity-telemetry", "unity-telemetry", "godot-telemetry"),
  build: fc.constantFrom("1.0", "1.1"),
  env: fc.constantFrom("production", "staging"),
  batches: fc.array(fc.array(position, { maxLength: 120 }), { maxLength: 3 }),
});

it("equals the recomputation for generated sessions, with and without filters", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(session, { maxLength: 4 }), async (sessions) => {
      const { slug, selectEvents } = await sendSessions(service, sessions);
      expect(await readHeatmap(service, slug)).toStrictEqual(naiveHeatmap(selectEvents(() => true)));
      expect(await readHeatmap(service, slug, "?build=1.0")).toStrictEqual(
        naiveHeatmap(selectEvents(({ build }) => build === "1.0")),
      );
      expect(await readHeatmap(service, slug, "?env=staging")).toStrictEqual(
        naiveHeatmap(selectEvents(({ env }) => env === "staging")),
      );
    }),
    { numRuns: 60 },
  );
});

describe.runIf(hasRecordedFiles("osu"))("for recorded sessions", () => {
  it("equals the recomputation exactly", async () => {
    await service.addGame("osu");
    const bodies = readBodies("osu");
    await sendAll(service, bodies);
    const answer = await readHeatmap(service, "osu");
    expect(answer).toStrictEqual(naiveHeatmap(bodies.flatMap(({ events }) => events)));
    expect(answer.eventCount).toBeGreaterThan(50_000);
    const builds = new Set(bodies.map(({ sessionMetadata }) => sessionMetadata.gameVersion));
    for (const build of builds) {
      const buildBodies = bodies.filter(({ sessionMetadata }) => sessionMetadata.gameVersion === build);
      expect(await readHeatmap(service, "osu", `?build=${build}`)).toStrictEqual(
        naiveHeatmap(buildBodies.flatMap(({ events }) => events)),
      );
    }
  });
});

it("reported no faults", () => {
  expect(service.faults).toEqual([]);
});
