/** heatmap of games with three coordinates: the plane and floor that it draws, and which way is up. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { httpTransport } from "../../src/client/http-transport.ts";
import { putEventConfig } from "../../src/server/telemetry/event-config-queries.ts";
import { runCli, startTestService, type TestService } from "../harness.ts";

let service: TestService;
/** A service with only the API document, on loopback, and what it was asked for. */
let older: Server;
const asked: string[] = [];

const house = Array.from({ length: 600 }, (_, at) => ({
  ...{ x: at % 40, y: at % 3 === 0 ? 4 : 0.5, z: Math.floor(at / 30) },
  room: "house",
}));

async function play(game: string, source: string, positions: readonly object[]) {
  await service.addGame(game);
  const events = positions.map((data, n) => ({
    ...{ id: String(n), name: "player_pos", timestamp: service.clock.now + n, data },
  }));
  const sent = await service.post("/api/telemetry", {
    ...{ gameId: game, clientSessionId: game, deviceId: source, source, sessionEnded: true, events },
  });
  expect(sent.json.rejected).toEqual([]);
}

beforeAll(async () => {
  service = await startTestService();
  await play("castle", "unity-telemetry", house);
  await play("flat", "unity-telemetry", [
    { x: 0, y: 0, room: "dock" },
    { x: 9, y: 40, room: "dock" },
  ]);
  await play("canvas", "typescript-telemetry", [
    { x: 0, y: 0, room: "dock" },
    { x: 9, y: 40, room: "dock" },
  ]);
  older = createServer(async (request: IncomingMessage, response) => {
    const url = new URL(request.url ?? "", "http://older");
    asked.push(url.search);
    for (const name of ["plane", "floor", "bounds", "source", "player", "paths"])
      url.searchParams.delete(name);
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

const run = (line: string, game = "castle") => runCli([...line.split(" "), "-g", game], { service });

const runOlder = (line: string) => {
  const { port } = older.address() as AddressInfo;
  const env = { PLAYTEST_BASE_URL: `http://127.0.0.1:${port}` };
  return runCli([...line.split(" "), "-g", "castle"], { service, env, transport: httpTransport });
};

const words = (out: string) => out.replace(/\s+/g, " ");
const labels = (out: string) =>
  out
    .split("\n")
    .flatMap((line) => (/^ *(-?[\d.]+) ┤/.exec(line)?.[1] ?? []) as string[])
    .map(Number);
const isAscending = (values: readonly number[]) =>
  values.length > 1 && values.every((value, at) => at === 0 || value > (values[at - 1] ?? value));

describe("a picture", () => {
  test("is in the plane that is guessed, and says so", async () => {
    const { out } = await run("heatmap");
    expect(words(out)).toContain("600 positions in 1 room");
    expect(words(out)).toContain(
      "Plane xz, guessed from the positions (set it with `playtest admin event-config set-room`).",
    );
    expect(Math.max(...labels(out))).toBeGreaterThan(10);
  });

  test("is in the plane of the flag", async () => {
    const { out } = await run("heatmap --plane zy");
    expect(words(out)).toContain("Plane zy.");
    expect(Math.max(...labels(out))).toBeLessThanOrEqual(4);
  });

  test("has y as in the engine, and flipped with --flip-y", async () => {
    expect(isAscending(labels((await run("heatmap")).out).toReversed())).toBe(true);
    expect(isAscending(labels((await run("heatmap", "flat")).out).toReversed())).toBe(true);
    expect(isAscending(labels((await run("heatmap", "canvas")).out))).toBe(true);
    expect(isAscending(labels((await run("heatmap --flip-y")).out))).toBe(true);
    expect(isAscending(labels((await run("heatmap --flip-y", "canvas")).out).toReversed())).toBe(true);
  });

  test("says nothing about planes of a game with two coordinates", async () => {
    expect((await run("heatmap", "flat")).out).not.toContain("lane");
  });
});

describe("data", () => {
  test("has x and y as they were sent, unless a flag says otherwise", async () => {
    const bounds = async (line: string) => JSON.parse((await run(line)).out).rooms[0].bounds;
    expect(await bounds("heatmap --json")).toEqual({ xMin: 0, xMax: 39, yMin: 0.5, yMax: 4 });
    expect(await bounds("heatmap --json --plane auto")).toEqual({ xMin: 0, xMax: 39, yMin: 0, yMax: 19 });
  });
});

describe("a player", () => {
  test("is drawn alone, and named", async () => {
    await play("duo", "unity-telemetry", [
      { x: 0, y: 0, room: "dock", player: "p1" },
      { x: 9, y: 40, room: "dock", player: "p2" },
      { x: 9, y: 20, room: "dock", player: "p2" },
    ]);
    const { out } = await run("heatmap --player p2", "duo");
    expect(words(out)).toContain("duo, environment production, player p2: 2 positions in 1 room");
    const { items } = (await service.get("/api/v1/sessions?game=duo")).json;
    const events = await runCli(["sessions", "events", items[0].id, "--player", "p1", "--json"], { service });
    expect(JSON.parse(events.out).items).toHaveLength(1);
  });
});

describe("--paths", () => {
  test("draws paths by outcome, but not in a comparison", async () => {
    const { out } = await run("heatmap --paths", "flat");
    // The session counts as left until it is analyzed.
    expect(words(out)).toMatch(/q: path of a session, quit\.|l: path of a session, left\./);
    expect(out).toMatch(/[│┤] *[lq]+/);
    const refused = await run("heatmap --paths --build 2 --diff 1", "flat");
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("--paths cannot be used with")]);
    expect((await runOlder("heatmap --paths")).err).toContain("This service does not offer paths");
  });
});

describe("a floor", () => {
  test("that no room has is explained", async () => {
    const { code, out, err } = await run("heatmap --floor 2");
    expect(code).toBe(0);
    expect(words(out + err)).toContain("No room has a floor 2. Set floors with");
    const room = await run("heatmap --floor 2 --room house");
    expect([room.code, words(room.err)]).toEqual([
      44,
      expect.stringContaining('Room "house" has no floor 2'),
    ]);
  });
});

describe("a service without planes", () => {
  test("is not asked for them", async () => {
    asked.length = 0;
    const { code } = await runOlder("heatmap");
    expect([code, asked.filter((search) => /plane|bounds/.test(search))]).toEqual([0, []]);
  });

  test.each(["--plane xz", "--floor 1", "--player p2"])("cannot draw %s", async (flags) => {
    const { code, err } = await runOlder(`heatmap ${flags}`);
    expect([code, words(err)]).toEqual([54, expect.stringContaining("This service does not offer")]);
  });
});

test("the path of a session has the deaths of the event config, in the plane of the room", async () => {
  const { store } = service.service;
  const { id: game_id } = await store.readDb
    .selectFrom("games")
    .select("id")
    .where("slug", "=", "castle")
    .executeTakeFirstOrThrow();
  const flags = { sdk_ignore: 0, link_to_summary: 0, hide_from_ai: 0, sample_rate: 1 };
  await store.write((db) => putEventConfig(db, { game_id, name: "wiped", ...flags, meaning: "failure" }));
  const [session] = (await service.get("/api/v1/sessions?game=castle")).json.items;
  const data = { x: 3, y: 1, z: 4, room: "house" };
  await service.post("/api/telemetry", {
    ...{ gameId: "castle", sessionId: session.id },
    events: [{ id: "w", name: "wiped", timestamp: service.clock.now, data }],
  });
  const { out } = await runCli(["sessions", "events", session.id, "--map"], { service });
  expect(words(out)).toContain("1 death (wiped)");
  expect(isAscending(labels(out).toReversed())).toBe(true);
});
