/** Resources, prompts and completions. */
import { beforeAll, describe, expect, test } from "vitest";
import { startTestService, type TestService } from "../harness.ts";
import { makeWorld, type World } from "../server/samples.ts";
import { connect, connectTo } from "./connect.ts";

let service: TestService;
let world: World;
beforeAll(async () => {
  service = await startTestService();
  world = await makeWorld(service, service, "demo");
});

describe("resources", () => {
  test("list games, builds and the newest sessions, and each can be read", async () => {
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

  test("have templates, whose arguments are completed with existing names", async () => {
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

  test("with special characters in their names can be read", async () => {
    const gameVersion = "1.0/beta #2?é%";
    const body = { gameId: world.slug, clientSessionId: "odd", sessionMetadata: { gameVersion }, events: [] };
    await service.post("/api/telemetry", body);
    const { client } = await connect(service);
    const { resources } = await client.listResources();
    const resource = resources.find(({ name }) => name.includes("beta"));
    expect(resource?.uri).toBe(`playtest://games/demo-game/builds/${encodeURIComponent(gameVersion)}`);
    const { contents } = await client.readResource({ uri: resource?.uri ?? "" });
    expect(contents[0]).toMatchObject({
      text: expect.stringContaining(`version: ${JSON.stringify(gameVersion)}`),
    });
  });

  test.each([
    ["playtest://games/nosuch", /-32002[\s\S]*status: 404/],
    ["playtest://games/../sessions", /-3260|-32002/],
    ["playtest://games/%2e%2e", /folder/],
    ["playtest://games/%zz", /-32002: Unknown resource "playtest:\/\/games\/%zz"/],
    ["file:///etc/passwd", /-32002: Unknown resource/],
  ])("reject the URI %s", async (uri, message) => {
    const { client } = await connect(service);
    await expect(client.readResource({ uri })).rejects.toThrow(message);
  });
});

describe("prompts", () => {
  test("list their required and optional arguments", async () => {
    const { client } = await connect(service);
    const { prompts } = await client.listPrompts();
    const listed = prompts.map(({ name, arguments: promptArguments }) => [
      name,
      promptArguments?.map((argument) => (argument.required ? argument.name : `[${argument.name}]`)),
    ]);
    expect(Object.fromEntries(listed)).toEqual({
      weekly_digest: ["game"],
      build_comparison: ["game", "a", "b"],
      friction_analysis: ["game", "[build]"],
      tester_spotlight: ["game", "tester"],
    });
  });

  test("name only existing tools, and quote their arguments", async () => {
    const { client } = await connect(service);
    const { tools } = await client.listTools();
    const names = new Set(tools.map(({ name }) => name));
    const values = { game: 'a"b\n<x>', a: "1", b: "2", tester: "moth" };
    for (const { name, arguments: promptArguments = [] } of (await client.listPrompts()).prompts) {
      const args = Object.fromEntries(
        Object.entries(values).filter(([key]) => promptArguments.some((argument) => argument.name === key)),
      );
      const { messages } = await client.getPrompt({ name, arguments: args });
      const text = messages[0]?.content.type === "text" ? messages[0].content.text : "";
      const toolNames = text.match(/\b(get|list|compare)_[a-z_]+/g) ?? [];
      expect(toolNames.length).toBeGreaterThan(0);
      expect(toolNames.filter((tool) => !names.has(tool))).toEqual([]);
      expect(text).toContain('"a\\"b\\n\\u003cx>"');
    }
  });

  test("are rejected without a required argument or with an unknown name", async () => {
    const { client } = await connect(service);
    await expect(
      client.getPrompt({ name: "build_comparison", arguments: { game: "g", a: "1" } }),
    ).rejects.toThrow('Prompt "build_comparison" requires the argument "b"');
    await expect(client.getPrompt({ name: "constructor" })).rejects.toThrow('Unknown prompt "constructor"');
  });
});

describe("completion", () => {
  const complete = async (name: string, value: string, others: Record<string, string> = {}) => {
    const { client } = await connect(service);
    const ref = { type: "ref/prompt", name: "tester_spotlight" } as const;
    const { completion } = await client.complete({
      ref,
      argument: { name, value },
      context: { arguments: others },
    });
    return completion.values;
  };

  test("matches the start of games, builds and testers, ignoring case", async () => {
    expect(await complete("game", "DEMO")).toEqual(["demo-game"]);
    expect(await complete("game", "x")).toEqual([]);
    expect(await complete("tester", "", { game: world.slug })).toEqual(["demo-tester"]);
    expect(await complete("a", "demo-2", { game: world.slug })).toEqual(["demo-2"]);
    expect(await complete("a", "demo-2")).toEqual([]);
  });

  test("caches names for a minute, and returns no values if the service fails", async () => {
    let requests = 0;
    const { client, clock } = await connectTo(async () => {
      requests += 1;
      if (requests > 2) throw new TypeError("connection lost");
      return { status: 200, headers: {}, body: '{"games":[]}' };
    }, "k");
    const completeGame = () =>
      client.complete({
        ref: { type: "ref/prompt", name: "weekly_digest" },
        argument: { name: "game", value: "" },
      });
    await completeGame();
    await completeGame();
    expect(requests).toBe(1);
    clock.now += 60_000;
    await completeGame();
    expect(requests).toBe(2);
    clock.now += 60_000;
    expect((await completeGame()).completion.values).toEqual([]);
    expect(requests).toBe(3);
  });
});
