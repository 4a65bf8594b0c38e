/** builds compare: how latest and previous are resolved, and the exit codes of --fail-on. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPage, GAME, responseBodies, SESSION } from "../client/response-fixtures.ts";
import { script } from "../client/script.ts";
import { NOW, runCli, startTestService, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_GAME: "ember" };
const compared = responseBodies.compareBuilds as {
  buildA: object;
  buildB: object;
  diff: { changes: { kind: string }[]; totals: object };
};

describe("--fail-on", () => {
  /** Runs the comparison with a service that returns changes of these kinds. */
  async function gate(kinds: string[], flags: string[], testers = [4, 4]) {
    const [change] = compared.diff.changes;
    const body = {
      ...compared,
      buildA: { ...compared.buildA, testersInBatch: testers[0] },
      buildB: { ...compared.buildB, testersInBatch: testers[1] },
      diff: {
        ...compared.diff,
        changes: kinds.map((kind) => ({ ...change, kind, tag: `stuck-point:${kind}`, title: null })),
      },
    };
    return await runCli(["builds", "compare", "0.8.0", "0.9.0", ...flags], {
      env,
      transport: script({ body }).transport,
    });
  }

  test.each<[changes: string[], failOn: string, exit: number]>([
    [["introduced"], "introduced", 10],
    [["introduced"], "got_larger", 0],
    [["got_larger", "resolved"], "introduced,got_larger", 10],
    [["resolved"], "resolved", 10],
    [[], "introduced,got_larger,carried_over,got_smaller,resolved", 0],
    [["a_later_kind"], "introduced", 0],
  ])("with changes %j, --fail-on %s exits with %i", async (changes, failOn, exit) => {
    expect((await gate(changes, ["--fail-on", failOn])).code).toBe(exit);
  });

  test("changes do not cause a failure without it", async () => {
    expect((await gate(["introduced"], [])).code).toBe(0);
  });

  test("distinguishes builds without friction from builds without testers", async () => {
    expect((await gate([], [], [4, 4])).out).toContain("0.9.0 vs 0.8.0: not tested");
    const empty = await gate(["introduced"], [], [4, 0]);
    expect(empty.out).toContain("nothing to compare, 0.9.0 has no testers in production");
    expect(empty.out).not.toContain("stuck-point:");
  });

  test("lists the failed kinds on stderr, and writes the complete response to stdout", async () => {
    const run = await gate(
      ["introduced", "got_larger", "resolved"],
      ["--fail-on", "introduced, got_larger", "--json"],
    );
    expect(run.code).toBe(10);
    expect(JSON.parse(run.out).diff.changes).toHaveLength(3);
    const [message, hint, json] = run.err.split("\n");
    expect(message).toBe(
      "Failed: 1 tag was introduced: Stuck point in introduced (stuck-point:introduced); 1 tag got larger: Stuck point in got_larger (stuck-point:got_larger)",
    );
    expect(hint).toMatch(/^hint: ./);
    expect(JSON.parse(json ?? "").error).toMatchObject({ code: "gate_failed", exitCode: 10, message });
  });

  test.each([
    [[0, 4], "0.8.0"],
    [[4, 0], "0.9.0"],
  ])("is inconclusive if a build has no testers: %j", async (testers, build) => {
    for (const changes of [["introduced"], []]) {
      const run = await gate(changes, ["--fail-on", "introduced"], testers);
      expect([run.code, run.err]).toEqual([
        11,
        `Inconclusive: build ${build} has no testers in production\n` +
          "hint: Wait for its first sessions, or select another environment with --env.\n",
      ]);
    }
  });

  test("fails for the demo studio because of the furnace", async () => {
    const service = await startDemo();
    const run = await runCli(
      ["builds", "compare", "0.8.0", "0.9.0", "-g", "ember", "--fail-on", "introduced"],
      { service },
    );
    await service.stop();
    expect(run.code).toBe(10);
    expect(run.err).toContain(
      "Failed: 4 tags were introduced: Difficulty spike in furnace (difficulty-spike:furnace), ",
    );
  });
});

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
