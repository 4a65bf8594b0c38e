/** builds compare: how latest and previous are resolved, and the exit codes of --fail-on. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPage, GAME, responseBodies, SESSION } from "../client/response-fixtures.ts";
import { script } from "../client/script.ts";
import { NOW, runCli, startTestService, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_GAME: "ember" };
describe("--fail-on", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startDemo("studio");
  });
  afterAll(() => service.stop());

  const run = (line: string) => runCli([...line.split(" "), "-g", "ember"], { service, clock: { now: NOW } });

  test.each(["0.8.0 0.9.0", "0.9.0 0.8.0"])(
    "gives the verdict and the exit code of the gate: %s",
    async (pair) => {
      for (const kinds of ["introduced", "got_larger"]) {
        const compare = await run(`builds compare ${pair} --fail-on ${kinds}`);
        const gate = await run(`gate ${pair} --fail-on ${kinds}`);
        expect([kinds, compare.code, compare.err]).toEqual([kinds, gate.code, gate.err]);
      }
    },
  );

  test("writes the complete response to stdout, and the verdict last", async () => {
    const { code, out, err } = await run("builds compare --fail-on introduced --json");
    expect(code).toBe(10);
    expect(JSON.parse(out).diff.changes.length).toBeGreaterThan(3);
    const [hint, message, json] = err.split("\n");
    expect(hint).toMatch(
      /^hint: Fix it, or `playtest gate allow difficulty-spike:furnace --until \d{4}-\d\d-\d\d --reason "\.\.\."`\.$/,
    );
    expect(message).toMatch(
      /^GATE FAILED: .* \d+ of \d+ checks failed: difficulty-spike:furnace, quit:furnace/,
    );
    expect(JSON.parse(json ?? "").error).toMatchObject({ code: "gate_failed", exitCode: 10, message });
  });

  test("decides nothing without it", async () => {
    expect((await run("builds compare")).code).toBe(0);
  });

  test("is inconclusive if a build has no testers in the environment", async () => {
    const { code, err } = await run("builds compare 0.8.0 0.9.0 --env staging --fail-on introduced");
    expect([code, err]).toEqual([
      11,
      expect.stringContaining("nothing checked: 0.8.0 has 0 testers in staging"),
    ]);
  });
});

test.each(["0.8.0 0.8.0", "latest latest", "0.9.0 latest"])(
  "a build is not compared with itself: %s",
  async (pair) => {
    const service = await startDemo();
    const { code, err } = await runCli(["builds", "compare", ...pair.split(" "), "-g", "ember"], {
      service,
      clock: { now: NOW },
    });
    await service.stop();
    expect([code, err]).toEqual([2, expect.stringMatching(/^error: Both builds are (0\.[89]\.0|latest)/)]);
  },
);

describe("latest and previous", () => {
  let service: TestService;
  const DAY = 86_400_000;

  const play = async (build: string, daysAgo: number) => {
    const at = NOW - daysAgo * DAY;
    await service.post("/api/telemetry", {
      gameId: "ember",
      startedAt: at,
      deviceId: `dev-${build}-${daysAgo}`,
      sessionMetadata: { gameVersion: build, platform: "x" },
      sessionEnded: true,
      events: [{ id: "e", name: "jump", timestamp: at }],
    });
  };

  beforeAll(async () => {
    service = await startTestService();
    await service.addGame("ember");
    await service.addGame("empty");
    await service.addGame("unnamed");
    // 1.0 has more sessions after the first ones of 1.1, and 1.2 is the newest build.
    for (const [build, daysAgo] of [
      ["1.0", 9],
      ["1.1", 7],
      ["1.0", 6],
      ["1.2", 5],
      ["1.1", 4],
      ["1.2", 1],
    ] as const) {
      await play(build, daysAgo);
    }
  });
  afterAll(() => service.stop());

  const sides = async (...words: string[]) => {
    const run = await runCli(
      ["builds", "compare", ...words, "-g", "ember", "--jq", "[.buildA.version,.buildB.version]"],
      {
        service,
      },
    );
    return run.code === 0 ? JSON.parse(run.out) : run.err;
  };

  test("use the median session time of each build", async () => {
    expect(await sides("previous", "latest")).toEqual(["1.1", "1.2"]);
    expect(await sides("previous", "1.1")).toEqual(["1.0", "1.1"]);
    expect(await sides("1.1", "latest")).toEqual(["1.1", "1.2"]);
    expect(await sides("latest", "1.0")).toEqual(["1.2", "1.0"]);
  });

  test("skip sessions without a version, such as recordings", async () => {
    const at = NOW - DAY / 2;
    const events = [{ id: "e", name: "jump", timestamp: at }];
    for (const game of ["ember", "unnamed"]) {
      await service.post("/api/telemetry", { gameId: game, startedAt: at, sessionEnded: true, events });
    }
    expect(await sides("previous", "latest")).toEqual(["1.1", "1.2"]);
    const { code, err } = await runCli(["builds", "get", "latest", "-g", "unnamed"], { service });
    expect([code, err]).toEqual([
      44,
      expect.stringContaining(
        'No latest build: none of the newest sessions of game "unnamed" in production has a build version',
      ),
    ]);
    expect(err).toContain("hint: Send gameVersion in sessionMetadata");
  });

  test("no build is previous to the first build", async () => {
    expect(await sides("previous", "1.0")).toContain(
      'error: Game "ember" has no build before "1.0" in production\nhint: Specify a build',
    );
  });

  test("are supported by builds get", async () => {
    const run = await runCli(["builds", "get", "latest", "-g", "ember", "--jq", ".rollup.version"], {
      service,
    });
    expect(run.out).toBe("1.2\n");
  });

  test("are not found in a game without sessions", async () => {
    for (const line of [
      ["builds", "get", "latest"],
      ["builds", "compare", "previous", "latest"],
    ]) {
      const run = await runCli([...line, "-g", "empty"], { service });
      expect([run.code, run.err.split("\n")[0]]).toEqual([
        44,
        'error: No latest build: game "empty" has no sessions',
      ]);
    }
  });

  test("previous is the build before the latest, alone and as b", async () => {
    expect(await sides("latest", "previous")).toEqual(["1.2", "1.1"]);
    const run = await runCli(["builds", "get", "previous", "-g", "ember", "--jq", ".rollup.version"], {
      service,
    });
    expect(run.out).toBe("1.1\n");
  });

  test("a baseline before 1970 sends a valid request", async () => {
    const { transport, requests } = script(({ url }) =>
      url.includes("/sessions") ? { body: createPage([SESSION]) } : { body: withFirstSeen(0) },
    );
    const run = await runCli(["builds", "compare", "previous", "0.9.0"], { env, transport });
    expect([run.code, requests.some((request) => request.url.includes("to=-1"))]).toEqual([44, false]);
  });
});

function withFirstSeen(firstSeen: number): unknown {
  const { rollup, ...build } = responseBodies.getBuild as { rollup: object };
  return { ...build, game: GAME, rollup: { ...rollup, firstSeen } };
}
