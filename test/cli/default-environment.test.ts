/** The environment of answers about players for which none was chosen, in commands, tools and pages. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DAY_MS } from "../../src/shared/time-units.ts";
import { openPage } from "../console/open-page.ts";
import { NOW, runCli, startTestService, type TestService } from "../harness.ts";
import { callTool, connect, textOf } from "../mcp/connect.ts";
import { sendTelemetry } from "../server/telemetry-helpers.ts";

let service: TestService;

/** Plays two builds of a game in these environments. */
async function play(game: string, environments: readonly string[]): Promise<void> {
  await service.addGame(game);
  for (const [at, environment] of environments.entries())
    for (const [day, build] of ["1", "2"].entries())
      for (const tester of ["a", "b"]) {
        const startedAt = NOW - (4 - day) * DAY_MS + at;
        await sendTelemetry(service, {
          ...{ gameId: game, deviceId: `${game}-${tester}`, environment, startedAt, sessionEnded: true },
          sessionMetadata: { gameVersion: build, platform: "linux" },
          events: [
            { id: "1", name: "player_pos", timestamp: startedAt, data: { x: 1, y: 1, room: "hall" } },
            { id: "2", name: "quit", timestamp: startedAt + 60_000, data: { room: "hall" } },
          ],
        });
      }
}

beforeAll(async () => {
  service = await startTestService({ clock: { now: NOW } });
  await play("both", ["production", "staging"]);
  await play("one", ["staging"]);
  await play("several", ["staging", "lab"]);
  await service.addGame("none");
  await service.analysis.drain();
});
afterAll(() => service.stop());

const commands = [
  "builds compare previous latest --scorecard",
  "builds dropoff latest",
  "builds trend",
  "builds trend --tag quit:hall",
  "builds blame quit:hall",
  "builds suggestions latest",
  "gate previous latest --min-testers 1",
  "funnel room:hall",
  "testers retention",
  "heatmap --build 2",
  "events",
];

const run = (line: string, game: string) =>
  runCli([...line.split(" "), "--game", game, "--json"], {
    service,
  });

describe.each(commands)("%s", (line) => {
  test.each([
    ["both", "production"],
    ["one", "staging"],
  ])("of the game %s is about %s", async (game, environment) => {
    const chosen = await run(`${line} --env ${environment}`, game);
    const { code, out, err } = await run(line, game);
    expect([code, JSON.parse(out)]).toEqual([chosen.code, JSON.parse(chosen.out)]);
    expect(err.replaceAll(/"requestId".*/g, "")).toBe(chosen.err.replaceAll(/"requestId".*/g, ""));
  });

  test("asks which of several environments is meant", async () => {
    const { code, err } = await run(line, "several");
    expect([code, err]).toEqual([2, expect.stringContaining("Select one with --env: lab, staging.")]);
  });

  test("does not fail because of the environment if nothing was played", async () => {
    expect((await run(line, "none")).err).not.toContain("--env: ");
  });
});

describe.each([
  ["get_trend", { tag: "quit:hall" }],
  ["compare_builds", { a: "1", b: "2" }],
  ["get_dropoff", { version: "2" }],
  ["get_funnel", { steps: "room:hall" }],
  ["get_event_counts", {}],
  ["get_heatmap", { build: "2" }],
] as const)("the tool %s", (name, args) => {
  const call = async (given: Record<string, unknown>) =>
    await callTool((await connect(service, { toolsets: ["all"] })).client, name, { ...args, ...given });

  test.each([
    ["both", "production"],
    ["one", "staging"],
  ])("answers for the game %s about %s", async (game, env) => {
    const chosen = await call({ game, env });
    expect(chosen.isError).toBeFalsy();
    expect(await call({ game })).toEqual(chosen);
  });

  test("asks which of several environments is meant", async () => {
    expect(textOf(await call({ game: "several" }))).toContain("Set env to one of lab, staging, or all");
  });
});

describe.each([
  ["builds/2", "/status/"],
  ["builds", "/trends/"],
  ["compare", "/scorecards/"],
  ["heatmap?build=2", "/heatmaps/"],
])("the page %s", (path, endpoint) => {
  test.each([
    ["both", false],
    ["one", true],
  ])("of the game %s reads the only other environment: %s", async (game, isOther) => {
    const { status, requests } = await openPage(service, `/games/${game}/${path}`);
    const [request] = [...requests].filter((address) => address.includes(endpoint));
    expect([status, request?.includes("env=staging")]).toEqual([200, isOther]);
  });

  test("of a game with several others can be shown", async () => {
    expect((await openPage(service, `/games/several/${path}`)).status).toBe(200);
  });
});
