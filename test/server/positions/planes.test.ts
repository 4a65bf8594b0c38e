/** Heatmaps of games with three coordinates: planes and floors of rooms. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Floor } from "../../../src/contract/heatmap-planes.ts";
import { findKeysWithChunks, moveChunks } from "../../../src/server/positions/block-queries.ts";
import { putRoomSettings } from "../../../src/server/positions/room-settings-queries.ts";
import { SOURCES } from "../../../src/shared/session-sources.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";

let service: TestService;
let gameId: string;
beforeEach(async () => {
  service = await startTestService();
  await service.addGame("maze");
  gameId = (await service.service.store.readDb.selectFrom("games").select("id").executeTakeFirstOrThrow()).id;
});
afterEach(() => service.stop());

interface Place {
  readonly x: number;
  readonly y: number;
  readonly z?: number;
  readonly room: string;
}

let sent = 0;

const send = async (
  places: readonly Place[],
  { source = SOURCES.unity as string, name = "player_pos" } = {},
) => {
  sent += 1;
  const events = places.map((data, at) => ({ id: `e${at}`, name, timestamp: NOW + at, data }));
  return await sendTelemetry(service, {
    ...{ gameId: "maze", clientSessionId: `s${sent}`, source, events, sessionEnded: true },
  });
};

const read = async (search: string) => (await service.get(`/api/v1/heatmaps/maze${search}`)).json;

const compact = async () => {
  const { store } = service.service;
  for (const key of await findKeysWithChunks(store.readDb, 1))
    await store.write((db) => moveChunks(db, key, 1));
};

/** A house of two storeys, 40 wide and 20 deep. Half as many positions are upstairs. */
const house: Place[] = Array.from({ length: 600 }, (_, at) => ({
  ...{ x: at % 40, y: at % 3 === 0 ? 4 : 0.5, z: Math.floor(at / 30) },
  room: "house",
}));

const floors: Floor[] = [
  [-1, 3],
  [3, 6],
];

const setFloors = () =>
  service.service.store.write((db) =>
    putRoomSettings(db, gameId, { room: "house", plane: "xz", floors, sentPlane: null }),
  );

describe("the plane of a room", () => {
  it("leaves the heatmap of the API document as it is", async () => {
    await send(house);
    const [room] = (await read("")).rooms;
    expect(Object.keys(room)).toEqual(["room", "cellsX", "cellsY", "cells", "totalEvents", "bounds"]);
    expect(room.bounds).toEqual({ xMin: 0, xMax: 39, yMin: 0.5, yMax: 4 });
    const before = await read("");
    await setFloors();
    expect(await read("")).toEqual(before);
  });

  it("is the one that the request names", async () => {
    await send(house);
    const { rooms, applied } = await read("?plane=zy");
    expect(applied).toEqual({ plane: "zy" });
    expect(rooms[0]).toMatchObject({
      ...{ plane: "zy", planeFrom: "request", floors: 0, totalEvents: 600, withoutZ: 0, otherFloors: 0 },
      bounds: { xMin: 0, xMax: 19, yMin: 0.5, yMax: 4 },
    });
  });

  it("is guessed from the spread of its positions, and not from one who fell", async () => {
    await send([...house, { x: 1, y: -1e6, z: 1, room: "house" }]);
    const [room] = (await read("?plane=auto&bounds=robust")).rooms;
    expect(room).toMatchObject({ plane: "xz", planeFrom: "guessed", totalEvents: 601, yUp: true });
    expect(room.bounds).toEqual({ xMin: 0, xMax: 39, yMin: 0, yMax: 19 });
    const turned = house.map(({ x, y, z = 0, room }) => ({ x: y, y: x, z, room }));
    await send(turned.map((place) => ({ ...place, room: "tower" })));
    await send(house.map(({ x, y, z = 0 }) => ({ x, y: z, z: y, room: "side" })));
    const { rooms } = await read("?plane=auto");
    const planes = rooms.map(({ room, plane }: { room: string; plane: string }) => [room, plane]);
    expect(planes.sort()).toEqual([
      ["house", "xz"],
      ["side", "xy"],
      ["tower", "zy"],
    ]);
  });

  it("is the one of the settings, else the one that the game sent", async () => {
    await send(house);
    const put = (plane: "xy" | null) =>
      service.service.store.write((db) =>
        putRoomSettings(db, gameId, { room: "house", plane, floors: [], sentPlane: "zy" }),
      );
    await put(null);
    expect((await read("?plane=auto")).rooms[0]).toMatchObject({ plane: "zy", planeFrom: "sent" });
    await put("xy");
    expect((await read("?plane=auto")).rooms[0]).toMatchObject({ plane: "xy", planeFrom: "set" });
  });

  it("is not shown for positions in two dimensions, whose axis follows the source", async () => {
    await send([{ x: 1, y: 2, room: "flat" }]);
    await send(
      [1, 2].map((x) => ({ x, y: 2, room: "canvas" })),
      { source: SOURCES.typescript },
    );
    const { rooms } = await read("?plane=auto&source=all");
    expect(rooms.map(({ room, plane, yUp }: Record<string, unknown>) => [room, plane, yUp])).toEqual([
      ["canvas", undefined, false],
      ["flat", undefined, true],
    ]);
  });

  it("counts positions without a z, which cannot be drawn in it", async () => {
    await send([...house, { x: 1, y: 1, room: "house" }]);
    await send([{ x: 1, y: 2, room: "flat" }]);
    const { rooms, eventCount } = await read("?plane=xz");
    expect(eventCount).toBe(602);
    expect(rooms[0]).toMatchObject({ totalEvents: 600, withoutZ: 1 });
    expect(rooms[1]).toMatchObject({ room: "flat", totalEvents: 0, withoutZ: 1, cells: [] });
  });

  it("stays right when positions arrive and are compacted", async () => {
    await send(house);
    const before = await read("?plane=xz&bounds=robust");
    await compact();
    expect(await read("?plane=xz&bounds=robust")).toEqual(before);
    await send([{ x: 39, y: 1, z: 40, room: "house" }]);
    expect((await read("?plane=xz")).rooms[0]).toMatchObject({ totalEvents: 601, bounds: { yMax: 40 } });
  });

  it("has the deaths and the last positions of its players", async () => {
    await send(house);
    await send([{ x: 3, y: 4, z: 19, room: "house" }], { name: "player_death" });
    const { marks } = await read("?plane=xz&marks=deaths,quits");
    const points = marks.map(({ rooms }: { rooms: { points: unknown[] }[] }) => rooms[0]?.points);
    expect(points).toEqual([[{ x: 3, y: 19, count: 1 }], [{ x: 39, y: 19, count: 1 }]]);
  });
});

describe("paths", () => {
  it("are those of the newest ended sessions, in the plane of the room", async () => {
    await send(house);
    const newest = await send([
      { x: 3, y: 4, z: 19, room: "house" },
      { x: 5, y: 4, z: 11, room: "house" },
    ]);
    const { paths, applied } = await read("?plane=xz&paths=5");
    expect(applied).toEqual({ plane: "xz", paths: 5 });
    const lengths = paths.map(({ points }: { points: unknown[] }) => points.length);
    expect(lengths.sort((a: number, b: number) => a - b)).toEqual([2, 200]);
    expect(paths.find(({ sessionId }: { sessionId: string }) => sessionId === newest)).toEqual({
      ...{ sessionId: newest, player: null, room: "house" },
      // The session counts as left until it is analyzed.
      outcome: expect.stringMatching(/^(left|quit)$/),
      points: [
        { x: 3, y: 19 },
        { x: 5, y: 11 },
      ],
    });
    expect((await read("?paths=1")).paths).toHaveLength(1);
    // Capped, as other numbers of a heatmap.
    expect((await read("?paths=51")).paths).toHaveLength(2);
  });
});

describe("a trace", () => {
  const trace = (data: object) => ({ id: "t", name: "trace_chunk", timestamp: NOW, data });
  const points = Array.from({ length: 200 }, (_, at) => [at % 20, 1, Math.floor(at / 20)]);

  it("has positions of its session, and the plane of its room", async () => {
    const events = [trace({ room: "house", rate: 10, plane: "zy", player: "p1", points })];
    const body = { gameId: "maze", clientSessionId: "traced", source: SOURCES.unity, sessionEnded: true };
    const sessionId = await sendTelemetry(service, { ...body, events });
    const { rooms, marks } = await read("?plane=auto&player=p1&marks=quits");
    expect(rooms[0]).toMatchObject({ totalEvents: 200, plane: "zy", planeFrom: "sent" });
    expect(marks[0].rooms[0].points).toEqual([{ x: 9, y: 1, count: 1 }]);
    await compact();
    expect((await service.get(`/api/v1/sessions/${sessionId}/events`)).json.items[0].data).toEqual(
      events[0]?.data,
    );
  });

  it("has its points in the path at their times", async () => {
    const move = (seconds: number, x: number) => ({
      ...{ id: `m${seconds}`, name: "player_pos", timestamp: NOW + 1000 * seconds },
      data: { x, y: 0, room: "house" },
    });
    const points = [
      [1, 0],
      [3, 0],
    ];
    const sampled = { ...trace({ room: "house", rate: 0.5, t0: NOW + 1000, points }), timestamp: NOW + 9000 };
    const events = [move(0, 0), move(2, 2), move(4, 4), sampled];
    await sendTelemetry(service, {
      ...{ gameId: "maze", clientSessionId: "timed", source: SOURCES.unity, events, sessionEnded: true },
    });
    const { paths, marks } = await read("?paths=1&marks=quits");
    expect(paths[0].points.map(({ x }: { x: number }) => x)).toEqual([0, 1, 2, 3, 4]);
    expect(marks[0].rooms[0].points).toEqual([{ x: 4, y: 0, count: 1 }]);
  });

  it("with invalid points is an event like any other", async () => {
    const broken = [[], [[1]], [[1, "2"]], [[1, 2], null], "1,2", [[1, 2, 3, 4]]];
    const events = broken.map((points, at) => ({ ...trace({ room: "house", points }), id: `t${at}` }));
    await sendTelemetry(service, {
      gameId: "maze",
      clientSessionId: "broken",
      source: SOURCES.unity,
      events,
    });
    expect((await read("")).eventCount).toBe(0);
  });
});

describe("the floor of a room", () => {
  it("is drawn alone, and the positions on others are counted", async () => {
    await send(house);
    await setFloors();
    const [first] = (await read("?floor=1")).rooms;
    expect(first).toMatchObject({ totalEvents: 400, otherFloors: 200, plane: "xz", floors: 2 });
    const [second] = (await read("?plane=auto&floor=2&marks=quits")).rooms;
    expect(second).toMatchObject({ totalEvents: 200, otherFloors: 400 });
    await compact();
    expect((await read("?floor=2")).rooms[0]).toMatchObject({ totalEvents: 200, otherFloors: 400 });
  });

  it("leaves out rooms that do not have it, also in another plane", async () => {
    await send(house);
    await send([{ x: 1, y: 2, room: "flat" }]);
    await setFloors();
    expect((await read("?floor=3")).rooms).toEqual([]);
    expect((await read("?floor=1")).rooms).toHaveLength(1);
    expect((await read("?floor=1&plane=zy")).rooms).toEqual([]);
    expect((await read("?floor=0")).issues[0].path).toEqual(["floor"]);
  });
});
