/** Resources, prompts and completions. */
import { beforeAll, describe, expect, test } from "vitest";
import { startTestService, type TestService } from "../harness.ts";
import { makeWorld, type World } from "../server/sample-requests.ts";
import { connect, connectTo } from "./connect.ts";

let service: TestService;
let world: World;
beforeAll(async () => {
  service = await startTestService();
  world = await makeWorld(service, service, "demo");
});

describe("resources", () => {
  test("are listed: games, builds, and the newest sessions; each can be read", async () => {
    const { client } = await connect(service);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri.replace(/sess_\w+/, "sess_")).sort()).toEqual([
      "playtest://games/demo-game",
      "playtest://games/demo-game/builds/demo-1",
      "playtest://games/demo-game/builds/demo-2",
      "playtest://sessions/sess_",
      "playtest://sessions/sess_",
    ]);
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      expect(contents).toEqual([
        { uri, mimeType: "text/plain", text: expect.stringContaining("<playtest-data>\n") },
      ]);
    }
  });

  test("have templates, whose parameters are completed with existing names", async () => {
    const { client } = await connect(service);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "playtest://games/{game}",
      "playtest://games/{game}/builds/{build}",
      "playtest://sessions/{session}",
    ]);
    const ref = { type: "ref/resource", uri: "playtest://games/{game}/builds/{build}" } as const;
    const { completion } = await client.complete({
      ref,
      argument: { name: "build", value: "demo-" },
      context: { arguments: { game: world.slug } },
    });
    expect([...completion.values].sort()).toEqual(["demo-1", "demo-2"]);
  });

  test("are found by names with any characters", async () => {
    const gameVersion = "1.0/beta #2?é%";
    const body = { gameId: world.slug, clientSessionId: "odd", sessionMetadata: { gameVersion }, events: [] };
    await service.post("/api/telemetry", body);
    const { client } = await connect(service);
    const { resources } = await client.listResources();
    const found = resources.find(({ name }) => name.includes("beta"));
    expect(found?.uri).toBe(`playtest://games/demo-game/builds/${encodeURIComponent(gameVersion)}`);
    const { contents } = await client.readResource({ uri: found?.uri ?? "" });
    expect(contents[0]).toMatchObject({
      text: expect.stringContaining(`version: ${JSON.stringify(gameVersion)}`),
    });
  });

  test.each([
    ["playtest://games/nosuch", /-32002[\s\S]*status: 404/],
    ["playtest://games/../sessions", /-3260|-32002/],
    ["playtest://games/%2e%2e", /must not be/],
    ["playtest://games/%zz", /-32002: Unknown resource/],
    ["file:///etc/passwd", /-32002: Unknown resource/],
  ])("rejects %s", async (uri, message) => {
    const { client } = await connect(service);
    await expect(client.readResource({ uri })).rejects.toThrow(message);
  });
});

describe("prompts", () => {
  test("are listed with their arguments", async () => {
    const { client } = await connect(service);
    const { prompts } = await client.listPrompts();
    const told = prompts.map(({ name, arguments: taken }) => [
      name,
      taken?.map((one) => (one.required ? one.name : `[${one.name}]`)),
    ]);
    expect(Object.fromEntries(told)).toEqual({
      weekly_digest: ["game"],
      build_comparison: ["game", "a", "b"],
      friction_analysis: ["game", "[build]"],
      tester_spotlight: ["game", "tester"],
    });
  });

  test("name existing tools to call, and include the arguments as data", async () => {
    const { client } = await connect(service);
    const { tools } = await client.listTools();
    const names = new Set(tools.map(({ name }) => name));
    const given = { game: 'a"b\n<x>', a: "1", b: "2", tester: "moth" };
    for (const { name, arguments: taken = [] } of (await client.listPrompts()).prompts) {
      const args = Object.fromEntries(
        Object.entries(given).filter(([key]) => taken.some((one) => one.name === key)),
      );
      const { messages } = await client.getPrompt({ name, arguments: args });
      const text = messages[0]?.content.type === "text" ? messages[0].content.text : "";
      const called = text.match(/\b(get|list|compare)_[a-z_]+/g) ?? [];
      expect(called.length).toBeGreaterThan(0);
      expect(called.filter((tool) => !names.has(tool))).toEqual([]);
      expect(text).toContain('"a\\"b\\n\\u003cx>"');
    }
  });

  test("are rejected if an argument is missing or the name is unknown", async () => {
    const { client } = await connect(service);
    await expect(
      client.getPrompt({ name: "build_comparison", arguments: { game: "g", a: "1" } }),
    ).rejects.toThrow('requires the argument "b"');
    await expect(client.getPrompt({ name: "constructor" })).rejects.toThrow('Unknown prompt "constructor"');
  });
});

describe("completion", () => {
  const ask = async (name: string, value: string, others: Record<string, string> = {}) => {
    const { client } = await connect(service);
    const ref = { type: "ref/prompt", name: "tester_spotlight" } as const;
    const { completion } = await client.complete({
      ref,
      argument: { name, value },
      context: { arguments: others },
    });
    return completion.values;
  };

  test("completes games, builds and testers by prefix, ignoring case", async () => {
    expect(await ask("game", "DEMO")).toEqual(["demo-game"]);
    expect(await ask("game", "x")).toEqual([]);
    expect(await ask("tester", "", { game: world.slug })).toEqual(["demo-tester"]);
    expect(await ask("a", "demo-2", { game: world.slug })).toEqual(["demo-2"]);
    expect(await ask("a", "demo-2")).toEqual([]);
  });

  test("requests names at most once a minute, and returns nothing if the service fails", async () => {
    let asked = 0;
    const { client, clock } = await connectTo(async () => {
      asked += 1;
      if (asked > 2) throw new TypeError("gone");
      return { status: 200, headers: {}, body: '{"games":[]}' };
    }, "k");
    const complete = () =>
      client.complete({
        ref: { type: "ref/prompt", name: "weekly_digest" },
        argument: { name: "game", value: "" },
      });
    await complete();
    await complete();
    expect(asked).toBe(1);
    clock.now -= 60_000;
    clock.elapsed += 60_000;
    await complete();
    expect(asked).toBe(2);
    clock.now -= 60_000;
    clock.elapsed += 60_000;
    expect((await complete()).completion.values).toEqual([]);
    expect(asked).toBe(3);
  });
});
