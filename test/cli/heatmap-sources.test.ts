/** heatmap of any source and event: what it draws, what it states is missing, and how it is oriented. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { httpTransport } from "../../src/client/http-transport.ts";
import { runCli, startTestService, type TestService } from "../harness.ts";

let service: TestService;
/** A service with only the parameters of the API document, on loopback. */
let older: Server;

async function play(game: string, source: string, events: readonly { name: string; data?: object }[]) {
  const sent = await service.post("/api/telemetry", {
    ...{ gameId: game, clientSessionId: `${game}-${source}`, deviceId: source, source, sessionEnded: true },
    sessionMetadata: { gameVersion: "0.9.0" },
    events: events.map((event, n) => ({ ...event, id: String(n), timestamp: service.clock.now + n })),
  });
  expect(sent.json.rejected).toEqual([]);
}

const at = (name: string, x: number, y: number, room = "dock") => ({ name, data: { x, y, room } });

beforeAll(async () => {
  service = await startTestService();
  for (const game of ["maze", "silent"]) await service.addGame(game);
  await play("maze", "godot-telemetry", [
    ...[
      at("player_pos", 0, 0),
      at("player_pos", 10, 40),
      at("player_pos", 10, 40),
      at("player_death", 5, 30),
    ],
    ...[{ name: "player_pos" }, { name: "player_death", data: { room: "dock" } }],
  ]);
  await play("maze", "unity-telemetry", [at("player_pos", 10, 0)]);
  await play("silent", "godot-telemetry", [at("jump", 1, 1), { name: "fall" }]);
  older = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", "http://older");
    for (const name of ["room", "source", "event", "marks"]) url.searchParams.delete(name);
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

describe("heatmap --marks", () => {
  test("marks deaths, and the last position of each ended session, and counts those without a position", async () => {
    const { code, out } = await run("heatmap --marks deaths,quits --source all --json");
    expect(code).toBe(0);
    expect(JSON.parse(out).marks).toEqual([
      {
        kind: "deaths",
        events: ["player_death"],
        ...{ total: 1, withoutPosition: 1, isLimited: false },
        rooms: [{ room: "dock", points: [{ x: 5, y: 30, count: 1 }] }],
      },
      {
        kind: "quits",
        events: [],
        ...{ total: 2, withoutPosition: 0, isLimited: false },
        rooms: [
          {
            room: "dock",
            points: expect.arrayContaining([
              { x: 10, y: 40, count: 1 },
              { x: 10, y: 0, count: 1 },
            ]),
          },
        ],
      },
    ]);
  });

  test("marks failed states only if the game sends no failures", async () => {
    await service.addGame("states");
    await play("states", "godot-telemetry", [at("player_pos", 1, 1), at("fail", 3, 4), { name: "fail" }]);
    const { out } = await run("heatmap --marks deaths", "states");
    expect(out).toContain("x: 1 death (fail); 1 without a position.");
    await play("states", "unity-telemetry", [at("player_pos", 1, 1), at("death", 2, 2), at("fail", 2, 2)]);
    expect((await run("heatmap --marks deaths", "states")).out).toContain("x: 1 death (death).");
    const other = await run("heatmap --marks deaths --source godot-telemetry", "states");
    expect(other.out).toContain("no deaths: no event named death matches.");
  });

  test("leaves out sessions that are still open", async () => {
    await service.addGame("open");
    const events = [{ ...at("player_pos", 1, 2), id: "1", timestamp: service.clock.now }];
    await service.post("/api/telemetry", { gameId: "open", deviceId: "d", events });
    const { out } = await run("heatmap --marks quits", "open");
    expect(out).toContain("no quits: no session has ended.");
  });

  test("draws marks with a legend, and says why there are none", async () => {
    const { out } = await run("heatmap --marks deaths,quits");
    expect(out).toContain("x: 1 death (player_death); 1 without a position.");
    expect(out).toContain("o: 2 last positions of ended sessions. &: both.");
    expect(out).toMatch(/[┤│] +x/);
    const silent = await run("heatmap --event jump --marks deaths", "silent");
    expect(silent.out).toContain(
      "no deaths: no event named death, fail, game_over, level_failed, player_death matches.",
    );
  });

  test("rejects unknown kinds", async () => {
    const { code, err } = await run("heatmap --marks deaths,jumps");
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('--marks "deaths,jumps" must be deaths, quits or both'),
    ]);
  });

  test("is refused with --diff, and by a service that ignores it", async () => {
    const refused = await run("heatmap --build 0.9.0 --diff 0.8.0 --marks deaths");
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining("--marks deaths cannot be used"),
    ]);
    const ignored = await runOlder("heatmap --marks quits");
    expect([ignored.code, ignored.err]).toEqual([
      expect.any(Number),
      expect.stringContaining('This service does not offer marks "quits"'),
    ]);
    expect(ignored.code).not.toBe(0);
  });
});

const run = async (line: string, game = "maze") => {
  const { code, out, err } = await runCli([...line.split(" "), "-g", game], { service });
  return { code, out, err };
};

const runOlder = (line: string) => {
  const { port } = older.address() as AddressInfo;
  const env = { PLAYTEST_BASE_URL: `http://127.0.0.1:${port}` };
  return runCli([...line.split(" "), "-g", "maze"], { service, env, transport: httpTransport });
};

const firstLines = (text: string) => text.split("\n").slice(0, 2);

describe("without --source", () => {
  test("draws every source, and states how many events have no position", async () => {
    expect(firstLines((await run("heatmap")).out)).toEqual([
      "maze, environment production: 4 positions in 1 room",
      "1 player_pos event has no x, y and room, and cannot be drawn.",
    ]);
  });

  test("--source draws one source, and counts the others", async () => {
    expect(firstLines((await run("heatmap --source unity-telemetry")).out)).toEqual([
      "maze, environment production, source unity-telemetry: 1 position in 1 room",
      "3 player_pos positions from other sources: godot-telemetry (3). 1 player_pos event has no x, y and room, and cannot be drawn.",
    ]);
  });

  test("--event draws another event", async () => {
    const { out } = await run("heatmap --event player_death");
    expect(firstLines(out)).toEqual([
      "maze, environment production, event player_death: 1 position in 1 room",
      "1 player_death event has no x, y and room, and cannot be drawn.",
    ]);
  });

  test("files and lists of cells state it on standard error", async () => {
    const { out, err } = await run("heatmap --cells --format csv");
    expect(out).not.toContain("cannot be drawn");
    expect(err).toContain("1 player_pos event has no x, y and room, and cannot be drawn.");
  });

  test.each([
    [
      "silent",
      "heatmap",
      "No positions match. There are no player_pos events. Events with positions: jump (1).",
    ],
    [
      "silent",
      "heatmap --event fall",
      "No positions match. 1 fall event has no x, y and room, and cannot be drawn. Events with positions: jump (1).",
    ],
    [
      "silent",
      "heatmap --event jump --source obs",
      "No positions match. 1 jump position from other sources: godot-telemetry (1).",
    ],
  ])("an empty heatmap of %s says why: %s", async (game, line, reason) => {
    const { code, err } = await run(line, game);
    expect([code, err.replace(/\s+/g, " ").trim()]).toEqual([0, reason]);
  });
});

describe("orientation", () => {
  const labels = (out: string) => out.split("\n").flatMap((line) => /^ *(-?\d+) ┤/.exec(line)?.[1] ?? []);

  test("--flip-y draws y the other way round", async () => {
    const down = labels((await run("heatmap")).out);
    expect(down.map(Number)).toEqual(down.map(Number).toSorted((a, b) => a - b));
    expect(down.length).toBeGreaterThan(2);
    expect(labels((await run("heatmap --flip-y")).out)).toEqual(down.toReversed());
  });

  test("--flip-y keeps every cell at its coordinates", async () => {
    expect((await run("heatmap --cells --format csv --flip-y")).out).toBe(
      (await run("heatmap --cells --format csv")).out,
    );
    const lines = (out: string) => out.split("\n").filter((line) => /[│┤]/.test(line));
    const cells = (out: string) => lines(out).map((line) => line.replace(/^.*?[│┤]/, "").trimEnd());
    const [down, up] = [cells((await run("heatmap")).out), cells((await run("heatmap --flip-y")).out)];
    expect(up).toEqual(down.toReversed());
  });

  test("--origin shows coordinates relative to a point of the room", async () => {
    const { out } = await run("heatmap --cells --format csv --origin dock=10,-5");
    const [header = "", row = ""] = out.split("\n");
    const cells = (line: string) => line.split(",").map((cell) => cell.replaceAll('"', ""));
    const values = Object.fromEntries(cells(header).map((name, n) => [name, cells(row)[n]]));
    expect([Number(values.xMax), Number(values.yMax)]).toEqual([0, 45]);
  });

  test("neither changes the JSON", async () => {
    expect((await run("heatmap --json --flip-y --origin dock=1,1")).out).toBe(
      (await run("heatmap --json")).out,
    );
  });
});

describe("a service without the parameters", () => {
  test("draws what it returns, and states that other sources are missing", async () => {
    const { code, out } = await runOlder("heatmap");
    expect([code, ...firstLines(out)]).toEqual([
      0,
      "maze, environment production: 1 position in 1 room",
      "This service draws only player_pos events of unity-telemetry sessions.",
    ]);
  });

  test.each(["--event player_death", "--source godot-telemetry"])("rejects %s", async (flags) => {
    const { code, out, err } = await runOlder(`heatmap ${flags}`);
    expect([code, out]).toEqual([54, ""]);
    expect(err).toContain("This service does not offer");
  });
});

test.each(["dock", "dock=1", "=1,2", "dock=1,2,3", "dock=a,2", "dock=,2"])(
  "rejects --origin %s",
  async (origin) => {
    const { code, err } = await run(`heatmap --origin ${origin}`);
    expect(code).toBe(2);
    expect(err).toContain("--origin furnace=120,-40");
  },
);
