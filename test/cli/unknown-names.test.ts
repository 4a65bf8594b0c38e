/** Unknown builds, environments, games and events are errors with suggestions, and never an empty success. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { responseBodies } from "../client/response-fixtures.ts";
import { rateLimited, script } from "../client/script.ts";
import { createAppTransport, NOW, runCli, startTestService, type TestService } from "../harness.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  for (const game of ["ember", "tidepool"]) await service.addGame(game);
  for (const [build, environment] of [
    ["0.8.0", "production"],
    ["0.9.0", "production"],
    ["0.9.0", "staging"],
    ["1.0\u001b[2J", "production"],
  ]) {
    await service.post("/api/telemetry", {
      gameId: "ember",
      environment,
      deviceId: "dev_furnace",
      clientSessionId: `${build}${environment}`,
      sessionMetadata: { gameVersion: build, platform: "x" },
      sessionEnded: true,
      events: [{ id: "a", name: "door_open", timestamp: NOW, data: { x: 1, y: 1, room: "dock" } }],
    });
  }
  await service.analysis.drain();
});
afterAll(() => service.stop());

const run = (line: string) => runCli(line.split(" "), { service });

describe("an unknown", () => {
  test.each([
    ["sessions list -g ember --build 0.8", "build 0.8 in ember", "Did you mean 0.8.0?"],
    ["sessions list -g ember --env prodution", "environment prodution in ember", "Did you mean production?"],
    ["sessions list -g ember --build 7 --json", "build 7 in ember", "The builds are "],
    ["sessions list -g ember --build 7 --all --format csv", "build 7 in ember", "The builds are "],
    ["insights list --build 0.99.0", "build 0.99.0 in any game", "Did you mean 0.9.0?"],
    ["insights list -g ember --build 0.99.0", "build 0.99.0 in ember", "Did you mean 0.9.0?"],
    ["bug-reports list -g ember --env stagin", "environment stagin in ember", "Did you mean staging?"],
    ["builds list -g ember --env stagin", 'Environment "stagin" not found', "Did you mean staging?"],
    ["builds get 0.8 -g ember", "build 0.8 in ember", "Did you mean 0.8.0?\n"],
    ["builds get 0.8.0 -g ember --env stagin", "environment stagin in ember", "Did you mean staging?"],
    ["builds compare 0.8.0 0.9 -g ember", "build 0.9 in ember", "Did you mean 0.9.0?"],
    ["builds compare 0.8.0 0.9.0 -g ember --env stagin", "environment stagin", "Did you mean staging?"],
    ["events -g ember --build 0.8", "build 0.8 in ember", "Did you mean 0.8.0?"],
    ["heatmap -g ember --event dor_open", "event dor_open in ember", "Did you mean door_open?"],
    ["heatmap -g ember --event door_open --env stagin", "environment stagin", "Did you mean staging?"],
    ["sessions events ID --event dor_open", 'event "dor_open" in session', "Did you mean door_open?"],
    ["gate 0.9 0.9.0 -g ember", "build 0.9", ""],
    ["export sessions -g embr --out out", "embr", ""],
    ["games get embr", "No game embr", "Did you mean ember?\n"],
    ["builds get 0.8.0 -g embr", "No game embr", "Did you mean ember?"],
    ["sessions list -g zzz", "No game zzz", "The games are "],
  ])("name is an error: %s", async (line, message, hint) => {
    const { items } = (await service.get("/api/v1/sessions?game=ember&build=0.8.0")).json;
    const { code, out, err } = await run(line.replace("ID", items[0].id));
    if (line.startsWith("export")) expect(code).toBeGreaterThan(0);
    else expect([line, code]).toEqual([line, 44]);
    expect(err).toContain(message);
    expect(err).toContain(hint);
    expect(out + err).not.toContain("\u001b");
  });

  test.each([
    "gate 0.8.0 0.9.0 -g ember",
    "gate save 0.9.0 -g ember --out baseline.json",
    "gate plan 0.8.0 0.9.0 -g ember",
    "report 0.8.0 0.9.0 -g ember",
    "testers get dev_furnace -g ember",
    "testers journey dev_furnace -g ember",
    "testers list -g ember",
    "feedback list -g ember",
    "crashes list -g ember",
    "insights list -g ember",
    "builds dropoff 0.9.0 -g ember",
    "funnel door_open room:dock -g ember",
  ])("environment is an error: %s", async (line) => {
    const { code, err } = await run(`${line} --env prodution`);
    expect([line, code]).toEqual([line, 44]);
    expect(err.toLowerCase().replaceAll('"', "")).toContain("environment prodution");
    expect(err).toContain("Did you mean production?");
  });

  test.each([
    [
      "insights list -g ember --tag difficulty:dock",
      'Tag "difficulty:dock" not found',
      "insights list --game",
    ],
    [
      "insights list -g ember --device dev_furnac",
      'Tester "dev_furnac" not found',
      "Did you mean dev_furnace?",
    ],
    ["testers get dev_furnac -g ember", "tester dev_furnac", "Did you mean dev_furnace?"],
    ["testers journey dev_furnac -g ember", "tester dev_furnac", "Did you mean dev_furnace?"],
    ["heatmap -g ember --event door_open --room dok", 'room "dok"', "Did you mean dock?"],
  ])("tag, tester or room is an error: %s", async (line, message, hint) => {
    const { code, err } = await run(line);
    expect([line, code]).toEqual([line, 44]);
    expect(err).toContain(message);
    expect(err).toContain(hint);
  });

  test("environment of an export is a warning, because its first sessions may still arrive", async () => {
    const { code, err } = await run("export sessions -g ember --env prodution --env staging --out -");
    expect(code).toBe(0);
    expect(err).toContain(
      'Warning: no session of ember is in environment "prodution". Did you mean production?',
    );
    expect(err).not.toContain('"staging"');
  });

  test("name of an expectation that is not met is in the hint", async () => {
    for (const [flags, hint] of [
      ["dor_open", "Did you mean door_open?"],
      ["door_open --env prodution", "No environment prodution in ember. Did you mean production?"],
      ["door_open --device dev_furnac", "Did you mean dev_furnace?"],
    ] as const) {
      const { code, err } = await run(`telemetry expect ${flags} -g ember`);
      expect([flags, code]).toEqual([flags, 10]);
      expect(err).toContain(hint);
    }
  });
});

test("telemetry tail warns of a device and an event that never arrived", async () => {
  for (const [filter, suggestion] of [
    ["--device dev_furnac", "Did you mean dev_furnace?"],
    ["--event dor_open", "Did you mean door_open?"],
  ] as const) {
    const { code, err } = await run(`telemetry tail -g ember ${filter} --for 1ms`);
    expect([code, err]).toEqual([0, expect.stringMatching(/^Warning: No .* Waiting for the first one\.$/m)]);
    expect(err).toContain(suggestion);
  }
});

test("insights list --device finds the testers that testers get finds", async () => {
  await service.post("/api/telemetry", {
    gameId: "ember",
    testerHandle: "moth",
    clientSessionId: "of-moth",
    sessionMetadata: { gameVersion: "0.9.0", platform: "x" },
    sessionEnded: true,
    events: [...Array(12).keys()].map((index) => ({
      ...{ id: `d${index}`, name: "player_death", timestamp: NOW + index * 4000 },
      data: { room: "dock", cause: "fire" },
    })),
  });
  await service.analysis.drain();
  const read = async (device: string) =>
    JSON.parse((await run(`insights list -g ember --device ${device} --json`)).out).items;
  const [{ sessionId }] = await read("moth");
  const { items } = (await service.get("/api/v1/insights?game=ember")).json;
  const ofMoth = items.filter((item: { sessionId: string }) => item.sessionId === sessionId);
  expect(ofMoth.length).toBeGreaterThan(0);
  // The session has no device, so its id also counts as the tester.
  for (const name of ["moth", sessionId]) expect(await read(name)).toEqual(ofMoth);
  expect(await read("dev_furnace")).not.toContainEqual(ofMoth[0]);
  const { code, err } = await run("insights list -g tidepool --device moth");
  expect([code, err]).toEqual([44, expect.stringContaining('Tester "moth" not found')]);
});

describe("the rate limit during the check of a name", () => {
  /** Runs a command whose requests with these numbers, from 0, are refused. */
  const runLimited = async (
    isRefused: (nth: number) => boolean,
    line = "sessions list -g ember --build 7",
  ) => {
    const pass = createAppTransport(service.app);
    const { transport: refuse } = script(rateLimited(1000));
    let nth = 0;
    const transport: typeof pass = (request) => (isRefused(nth++) ? refuse : pass)(request);
    return await runCli(line.split(" "), { service, transport });
  };

  test("is waited for", async () => {
    const { code, err, waits } = await runLimited((nth) => nth === 1);
    expect([code, waits]).toEqual([44, [1000]]);
    expect(err).toContain("No build 7 in ember");
  });

  test("is the error if the wait is longer than --max-wait", async () => {
    const line = "sessions list -g ember --build 7 --max-wait 0";
    const { code, err, waits } = await runLimited((nth) => nth === 1, line);
    expect([code, waits]).toEqual([49, []]);
    expect(err).toContain("Rate limit");
  });

  test("does not hide the error if only the suggestion is refused", async () => {
    const { code, err, waits } = await runLimited((nth) => nth > 1);
    expect([code, waits]).toEqual([44, []]);
    expect(err).toContain("No build 7 in ember");
  });

  test("is waited for when another environment than production is looked for", async () => {
    const { code, waits } = await runLimited((nth) => nth === 1, "builds trend -g tidepool");
    expect([code, waits]).toEqual([0, [1000]]);
  });
});

test("names that exist but match nothing together are a success that names the filters", async () => {
  const { code, err } = await run("sessions list -g ember --build 0.8.0 --env staging");
  expect([code, err]).toEqual([0, "No sessions match --build 0.8.0 --env staging.\n"]);
});

test("a command without a game lists the games", async () => {
  const { code, err } = await run("handles list");
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/The games are (ember, tidepool|tidepool, ember)\.\n$/),
  ]);
});

test("results with rows need no further requests", async () => {
  const { transport, requests } = script({ body: responseBodies.listSessions });
  const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k" };
  await runCli(["sessions", "list", "--build", "0.9.0", "--env", "production"], { env, transport });
  expect(requests).toHaveLength(1);
});
