/** Rooms beyond the 12 with the most positions: `heatmap`, its difference and `report` find them, or report that they are unknown. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { httpTransport } from "../../src/client/http-transport.ts";
import { runCli, startTestService, type TestService } from "../harness.ts";

let service: TestService;
/** A service without the `room` and `maxRooms` parameters, on loopback. */
let older: Server;

/** Positions by room and build: the attic has the fewest of `0.9.0`, and no build has positions in the cellar. */
const rooms = Array.from({ length: 12 }, (_, at) => `room-${String(at).padStart(2, "0")}`);

async function playBuild(build: string, positions: Readonly<Record<string, number>>): Promise<void> {
  const events = Object.entries(positions).flatMap(([room, count]) =>
    Array.from({ length: count }, (_, at) => ({
      id: `${room}-${at}`,
      name: "player_pos",
      timestamp: service.clock.now + at,
      data: { room, x: at, y: at },
    })),
  );
  const sent = await service.post("/api/telemetry", {
    gameId: "maze",
    clientSessionId: build,
    deviceId: "device",
    source: "unity-telemetry",
    sessionMetadata: { gameVersion: build },
    sessionEnded: true,
    events,
  });
  expect(sent.json.rejected).toEqual([]);
}

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("maze");
  const crowded = Object.fromEntries(rooms.map((room) => [room, 5]));
  await playBuild("0.8.0", { ...crowded, attic: 9 });
  await playBuild("0.9.0", { ...crowded, attic: 2 });
  await playBuild("0.7.0", { hall: 1 });
  await service.analysis.drain();
  older = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", "http://older");
    for (const name of ["room", "maxRooms"]) url.searchParams.delete(name);
    const answer = await service.get(url.pathname + url.search);
    response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.text);
  });
  await new Promise<void>((resolve) => older.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  older.close();
  await service.stop();
  expect(service.faults).toEqual([]);
});

const run = (line: string) => runCli([...line.split(" "), "-g", "maze"], { service });

/** Runs against the older service, over a socket. */
const runOlder = (line: string) => {
  const { port } = older.address() as AddressInfo;
  const env = { PLAYTEST_BASE_URL: `http://127.0.0.1:${port}` };
  return runCli([...line.split(" "), "-g", "maze"], { service, env, transport: httpTransport });
};

interface ComparedRoom {
  readonly room: string;
  readonly positionsA: number | null;
  readonly positionsB: number | null;
  readonly missing: string | null;
  readonly unknown: string | null;
}
const atticIn = (out: string): ComparedRoom =>
  JSON.parse(out).rooms.find(({ room }: ComparedRoom) => room === "attic");

describe("the service", () => {
  test("returns more than 12 rooms if the request asks for them", async () => {
    const read = (most: number) => service.get(`/api/v1/heatmaps/maze?build=0.9.0&maxRooms=${most}`);
    const { json } = await read(13);
    expect([json.rooms.length, json.applied]).toEqual([13, { maxRooms: 13 }]);
    expect((await read(2)).json.rooms).toHaveLength(2);
    expect((await read(0)).status).toBe(400);
    expect((await read(101)).status).toBe(200);
  });

  test("returns one room, however few positions it has, and repeats the parameter", async () => {
    const { json } = await service.get("/api/v1/heatmaps/maze?build=0.9.0&room=attic");
    expect(
      json.rooms.map(({ room, totalEvents }: { room: string; totalEvents: number }) => [room, totalEvents]),
    ).toEqual([["attic", 2]]);
    expect([json.eventCount, json.applied]).toEqual([62, { room: "attic" }]);
    const none = (await service.get("/api/v1/heatmaps/maze?room=nowhere")).json;
    expect([none.rooms, none.applied]).toEqual([[], { room: "nowhere" }]);
  });

  test("returns 12 rooms and no `applied` without the parameter", async () => {
    const { json } = await service.get("/api/v1/heatmaps/maze?build=0.9.0");
    expect(Object.keys(json)).toEqual(["game", "rooms", "eventCount"]);
    expect(json.rooms.map(({ room }: { room: string }) => room)).toEqual(rooms);
  });
});

describe("heatmap --room", () => {
  test("finds the 13th room", async () => {
    const { code, out } = await run("heatmap --build 0.9.0 --room attic --json");
    expect(code).toBe(0);
    expect(JSON.parse(out).rooms[0]).toMatchObject({ room: "attic", totalEvents: 2 });
  });

  test("lists the rooms with positions if the room has none", async () => {
    const { code, err } = await run("heatmap --build 0.9.0 --room cellar");
    expect([code, err]).toEqual([44, expect.stringContaining('No positions in room "cellar"')]);
    expect(err).toContain("room-11");
  });

  test("does not claim that the listed rooms are complete", async () => {
    const { err } = await run("heatmap --build 0.9.0 --room cellar");
    expect(err).toContain("hint: The rooms with the most positions are room-00, ");
    const all = await run("heatmap --build 0.7.0 --room cellar");
    expect(all.err).toContain("hint: The rooms are hall.");
  });

  test("reports unknown if an older service returns 12 other rooms", async () => {
    const { code, out, err } = await runOlder("heatmap --build 0.9.0 --room attic");
    expect([code, out]).toEqual([12, ""]);
    expect(err).toContain('The positions in room "attic" are unknown');
  });

  test("shows a room that an older service returns among its 12", async () => {
    const { code, out } = await runOlder("heatmap --build 0.8.0 --room attic --json");
    expect([code, JSON.parse(out).rooms.length]).toEqual([0, 1]);
  });
});

describe("heatmap --diff", () => {
  test("compares a room that is among the first 12 of only one build", async () => {
    const { out } = await run("heatmap --build 0.9.0 --diff 0.8.0 --json");
    expect(atticIn(out)).toMatchObject({ positionsA: 9, positionsB: 2, missing: null, unknown: null });
  });

  test("reports unknown instead of 0 if an older service omits the room", async () => {
    const { out } = await runOlder("heatmap --build 0.9.0 --diff 0.8.0 --json");
    expect(atticIn(out)).toMatchObject({ positionsA: 9, positionsB: null, missing: null, unknown: "b" });
    const drawn = (await runOlder("heatmap --build 0.9.0 --diff 0.8.0 --all")).out;
    expect(drawn).toContain("unknown in 0.9.0");
    expect(drawn).not.toContain("no positions were recorded");
    const csv = (await runOlder("heatmap --build 0.9.0 --diff 0.8.0 --format csv")).out;
    expect(csv).toMatch(/^"attic",9,"unknown","unknown",/m);
  });

  test("of one room reports unknown for the build where an older service omits it", async () => {
    const { out } = await runOlder("heatmap --build 0.9.0 --diff 0.8.0 --room attic --json");
    expect(atticIn(out)).toMatchObject({ positionsA: 9, positionsB: null, unknown: "b" });
  });

  test("does not count unknown rooms as 0 in its first line", async () => {
    const firstLine = async (line: string) => (await runOlder(line)).out.split("\n")[0];
    expect(await firstLine("heatmap --build 0.9.0 --diff 0.8.0 --room attic")).toContain(
      "9 positions in 0.8.0, an unknown number in 0.9.0, in 1 room",
    );
    expect(await firstLine("heatmap --build 0.8.0 --diff 0.9.0 --room attic")).toContain(
      "an unknown number of positions in 0.9.0, 9 in 0.8.0, in 1 room",
    );
    expect(await firstLine("heatmap --build 0.9.0 --diff 0.8.0")).toContain(
      "64 positions in 0.8.0, at least 60 in 0.9.0, in 13 rooms",
    );
  });
});

describe("report", () => {
  test("compares a room that is among the first 12 of only one build", async () => {
    const { code, out } = await run("report 0.8.0 0.9.0");
    expect(code).toBe(0);
    expect(out).toMatch(/attic.*9 positions in 0\.8\.0, 2 in 0\.9\.0/);
  });

  test("reports unknown instead of 0 if an older service omits the room", async () => {
    const { out } = await runOlder("report 0.8.0 0.9.0");
    expect(out).toMatch(/attic.*9 positions in 0\.8\.0; unknown in 0\.9\.0/);
    expect(out).not.toContain("no positions were recorded");
  });
});
