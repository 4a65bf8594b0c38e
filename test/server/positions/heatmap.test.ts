/** Heatmaps with hand-computed results: cells, bounds, intensities, and which positions and rooms are included. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../harness.ts";
import { readHeatmap, sendSessions, unity } from "./position-sessions.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.stop());

describe("heatmap", () => {
  it("puts corners in the corner cells, and gives the densest cell intensity 1", async () => {
    const points = [
      [0, 0],
      [32, 18],
      [16, 9],
      [16, 9],
      [31.999, 17.999],
      [1, 1],
    ].map(([x, y]) => ({ x, y, room: "hall" }));
    const { slug } = await sendSessions(service, [unity([points])]);
    const { rooms, eventCount } = await readHeatmap(service, slug);
    expect(eventCount).toBe(6);
    expect(rooms).toEqual([
      {
        room: "hall",
        cellsX: 32,
        cellsY: 18,
        totalEvents: 6,
        bounds: { xMin: 0, xMax: 32, yMin: 0, yMax: 18 },
        cells: [
          { x: 0, y: 0, intensity: Math.log(2) / Math.log(3) },
          { x: 1, y: 1, intensity: Math.log(2) / Math.log(3) },
          { x: 16, y: 9, intensity: 1 },
          { x: 31, y: 17, intensity: 1 },
        ],
      },
    ]);
  });

  it.each([
    [
      "no width",
      [
        { x: 5, y: 0 },
        { x: 5, y: 1 },
      ],
      [
        [0, 0],
        [0, 17],
      ],
    ],
    [
      "no height",
      [
        { x: 0, y: -3 },
        { x: 1, y: -3 },
      ],
      [
        [0, 0],
        [31, 0],
      ],
    ],
    [
      "one point",
      [
        { x: 7, y: 7 },
        { x: 7, y: 7 },
      ],
      [[0, 0]],
    ],
    [
      "a width too large for a double",
      [
        { x: -1.7e308, y: 0 },
        { x: 1.7e308, y: 1 },
        { x: 0, y: 0 },
      ],
      [
        [0, 0],
        [16, 0],
        [31, 17],
      ],
    ],
  ])("handles a room with %s", async (_, points, cells) => {
    const { slug } = await sendSessions(service, [unity([points.map((point) => ({ ...point, room: "r" }))])]);
    const { rooms } = await readHeatmap(service, slug);
    expect(rooms[0].cells.map(({ x, y }: { x: number; y: number }) => [x, y])).toEqual(cells);
  });

  it("puts points just before a cell edge into the cell before, and points on the edge into the next", async () => {
    const edges = Array.from({ length: 31 }, (_, n) => n + 1);
    const near = edges.flatMap((edge) => [edge * (1 - 2 ** -53), edge]);
    const { slug } = await sendSessions(service, [
      unity([[0, ...near, 32].map((x) => ({ x, y: 0, room: "r" }))]),
    ]);
    const { cells } = (await readHeatmap(service, slug)).rooms[0];
    expect(cells).toEqual(Array.from({ length: 32 }, (_, x) => ({ x, y: 0, intensity: 1 })));
  });

  it("returns exact bounds, even close to integers or zero", async () => {
    for (const [min, max] of [
      [-0.9999999999999999, 0.9999999999999999],
      [5e-324, 1e-300],
      [-1e-17, 1e-17],
      [0.1, 1.7976931348623157e308],
    ] as const) {
      const { slug } = await sendSessions(service, [
        unity([
          [
            { x: min, y: max, room: "r" },
            { x: max, y: min, room: "r" },
          ],
        ]),
      ]);
      const { bounds } = (await readHeatmap(service, slug)).rooms[0];
      expect(bounds).toStrictEqual({ xMin: min, xMax: max, yMin: min, yMax: max });
    }
  });

  it("ignores invalid positions, but counts them as events", async () => {
    const bad = [
      undefined,
      {},
      { x: 1, y: 1 },
      { x: "1", y: 1, room: "r" },
      { x: 1, room: "r" },
      { x: null, y: 1, room: "r" },
      { x: 1, y: 1, room: "" },
      { x: 1, y: 1, room: 7 },
    ];
    const { slug } = await sendSessions(service, [unity([[...bad, { x: 1, y: 1, room: "r" }]])]);
    const { rooms, eventCount } = await readHeatmap(service, slug);
    expect([rooms.length, rooms[0].totalEvents, eventCount]).toEqual([1, 1, 1]);
    expect((await service.get(`/api/v1/events/${slug}`)).json.byName).toEqual({ player_pos: bad.length + 1 });
    const infinite = `{"gameId":"${slug}","source":"unity-telemetry","events":[{"id":"a","name":"player_pos","timestamp":1772000000000,"data":{"x":1e999,"y":1,"room":"r"}}]}`;
    expect((await service.post("/api/telemetry", infinite)).json.accepted).toBe(1);
    expect((await readHeatmap(service, slug)).eventCount).toBe(1);
  });

  it("only includes unity-telemetry sessions, and is empty without any", async () => {
    const point = [[{ x: 1, y: 1, room: "r" }]];
    const others = [
      "unreal-telemetry",
      "godot-telemetry",
      "python-telemetry",
      "typescript-telemetry",
      "obs",
    ].map((source) => unity(point, { source }));
    const { slug } = await sendSessions(service, others);
    expect(await readHeatmap(service, slug)).toEqual({ rooms: [], eventCount: 0 });
    expect(await readHeatmap(service, slug, "?build=none")).toEqual({ rooms: [], eventCount: 0 });
  });

  it("returns the 12 rooms with the most points (ties by name), but counts all points", async () => {
    const rooms = Array.from({ length: 20 }, (_, n) => `room-${String((n * 7) % 20).padStart(2, "0")}`);
    const points = rooms.flatMap((room, n) =>
      Array.from({ length: room < "room-05" ? 3 : 2 }, () => ({ x: n, y: n, room })),
    );
    const { slug } = await sendSessions(service, [unity([points])]);
    const answer = await readHeatmap(service, slug);
    expect(answer.rooms.map(({ room }: { room: string }) => room)).toEqual(rooms.toSorted().slice(0, 12));
    expect(answer.eventCount).toBe(points.length);
  });

  it("filters by build and environment before binning", async () => {
    const wide = unity(
      [
        [
          { x: 0, y: 0, room: "r" },
          { x: 100, y: 100, room: "r" },
        ],
      ],
      { build: "wide", env: "staging" },
    );
    const small = unity(
      [
        [
          { x: 1, y: 1, room: "r" },
          { x: 2, y: 2, room: "r" },
        ],
      ],
      { build: "small" },
    );
    const { slug } = await sendSessions(service, [wide, small]);
    const bounds = async (search: string) => (await readHeatmap(service, slug, search)).rooms[0]?.bounds;
    expect(await bounds("?build=small")).toEqual({ xMin: 1, xMax: 2, yMin: 1, yMax: 2 });
    expect(await bounds("?env=staging")).toEqual({ xMin: 0, xMax: 100, yMin: 0, yMax: 100 });
    expect(await bounds("?env=all&build=small")).toEqual({ xMin: 1, xMax: 2, yMin: 1, yMax: 2 });
    expect(await readHeatmap(service, slug, "?env=all")).toEqual(await readHeatmap(service, slug));
    expect(await bounds("?env=production&build=wide")).toBeUndefined();
  });
});

it("reported no faults", () => {
  expect(service.faults).toEqual([]);
});
