/** Path segments with special characters: paths are split before segments are decoded. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NOW, startTestService, type TestService } from "../../harness.ts";

let service: TestService;
let gameId: string;

beforeAll(async () => {
  service = await startTestService();
  gameId = await service.addGame("maze");
});

afterAll(() => service.stop());

const names = [
  "1.0/beta",
  "/",
  "//",
  "a/../b",
  "...",
  "what?",
  "?env=all",
  "#7",
  "100%",
  "%2F",
  "%",
  "%25",
  "a+b",
  " leading and trailing ",
  "a b",
  "É-日本-🎮",
  "e\u0301",
  "\u200b",
  "a\tb\nc",
  "compare",
  "suggestions",
  "archetypes-1",
  "__proto__",
  "constructor",
  "null",
  "0",
  "<script>&amp;\"'",
  "\\",
  ";a=b",
  "x".repeat(120),
  "🎮".repeat(60),
];

describe.each(names)("%j", (name) => {
  it("works as a build and as a device id", async () => {
    const body = {
      gameId,
      deviceId: name,
      testerHandle: name,
      sessionMetadata: { gameVersion: name, platform: name },
      events: [{ id: name.slice(0, 60).toWellFormed(), name, timestamp: NOW }],
    };
    const sent = await service.post("/api/telemetry", body);
    expect([sent.status, sent.json.rejected]).toEqual([202, []]);
    const segment = encodeURIComponent(name);
    for (const game of [gameId, "maze"]) {
      const build = await service.get(`/api/v1/builds/${game}/${segment}`);
      expect([build.status, build.json.rollup?.version, build.json.rollup?.sessionCount]).toEqual([
        200,
        name,
        1,
      ]);
      const tester = await service.get(`/api/v1/testers/${game}/${segment}`);
      expect([tester.status, tester.json.rollup?.deviceId, tester.json.sessions?.length]).toEqual([
        200,
        name,
        1,
      ]);
    }
    const [item] = (await service.get(`/api/v1/sessions?build=${segment}`)).json.items;
    expect(item).toMatchObject({ testerHandle: name, metadata: { gameVersion: name, platform: name } });
    expect((await service.get(`/api/v1/events/maze?build=${segment}`)).json.top).toEqual([[name, 1]]);
  });
});

it("does not match names that only look similar", async () => {
  for (const other of ["É-日本", "E-日本-🎮", "a%20b%20", "A%2BB", "1.0", "%C3%89"]) {
    expect((await service.get(`/api/v1/builds/maze/${other}`)).status).toBe(404);
  }
  expect((await service.get("/api/v1/builds/maze/1.0/beta")).status).toBe(404);
});

it("reads a plus in a path as a plus, and in a query as a space", async () => {
  expect((await service.get("/api/v1/builds/maze/a+b")).json.rollup.version).toBe("a+b");
  const versions = async (search: string) =>
    (await service.get(`/api/v1/sessions?${search}`)).json.items.map(
      (item: { metadata: { gameVersion: string } }) => item.metadata.gameVersion,
    );
  expect(await versions("build=a+b")).toEqual(["a b"]);
  expect(await versions("build=a%2Bb")).toEqual(["a+b"]);
});

it.each([".", ".."])(
  "refuses %j as a device, a handle and a version, which no path could name",
  async (name) => {
    const bodies = {
      deviceId: { deviceId: name },
      testerHandle: { testerHandle: name },
      "sessionMetadata.gameVersion": { sessionMetadata: { gameVersion: name } },
    };
    for (const [field, body] of Object.entries(bodies)) {
      const { status, json } = await service.post("/api/telemetry", { gameId, ...body, events: [] });
      const refused = [status, json.issues?.[0].path.join(".")];
      const ignored = [status, json.warnings];
      if (field === "deviceId") expect(refused).toEqual([400, field]);
      else expect(ignored).toEqual([202, [`${field} must not be . or ... It was ignored.`]]);
    }
    await expect(service.addGame(name)).rejects.toMatchObject({ code: "invalid" });
  },
);

it.each(["compare", "Maze", "a b", "-a", "", "é", "a/b", "x".repeat(65)])(
  "refuses %j as a slug",
  async (slug) => {
    await expect(service.addGame(slug)).rejects.toMatchObject({ code: "invalid" });
  },
);

it("routes builds/compare to the comparison, even if a game has the slug compare", async () => {
  const answer = await service.get("/api/v1/builds/compare");
  expect(answer.json.issues.map(({ path }: { path: string[] }) => path[0])).toEqual(["game", "a", "b"]);
  expect((await service.get("/api/v1/builds/compare/1.0")).text).toBe('{"error":"Not found"}');
});

it("does not report any errors", () => {
  expect(service.faults).toEqual([]);
});
