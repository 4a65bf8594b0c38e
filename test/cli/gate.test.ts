/** gate: verdicts and their exit codes, rules from file and flags, baselines, waiting, and where reports go. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedDemo } from "../../src/cli/commands/server/demo.ts";
import { gateVerdict } from "../../src/gate/verdict.ts";
import { answers } from "../client/answers.ts";
import { type Given, script } from "../client/script.ts";
import { type CliOptions, freshFolder, runCli, startTestService, type TestService } from "../harness.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await seedDemo({ ...service, database: ":memory:" });
});
afterAll(() => service.stop());

async function gate(argv: string[], options: CliOptions = {}) {
  const env = { PLAYTEST_GAME: "ember", ...options.env };
  return await runCli(["gate", ...argv], { service, ...options, env });
}

const folderWith = (config: unknown): string => {
  const cwd = freshFolder();
  writeFileSync(join(cwd, "playtest.config.json"), JSON.stringify(config));
  return cwd;
};

describe("the verdict", () => {
  test("fails on what grew beyond chance, with evidence that exists", async () => {
    const { code, out, err } = await gate(["0.8.0", "0.9.0", "--json"]);
    expect(code).toBe(10);
    const verdict = gateVerdict.parse(JSON.parse(out));
    const failed = verdict.findings.filter(({ status }) => status === "failed");
    expect(failed.map(({ tag }) => tag)).toContain("difficulty-spike:furnace");
    expect(err).toContain("Failed: difficulty-spike:furnace was introduced");
    for (const { tag, evidence } of failed) {
      expect(evidence.length).toBeGreaterThan(0);
      for (const { insightId, sessionId } of evidence) {
        const { json } = await service.get(`/api/v1/sessions/${sessionId}`);
        const insight = json.insights.find((one: { id: string }) => one.id === insightId);
        expect([insight.tag, json.session.metadata.gameVersion, json.session.environment]).toEqual([
          tag,
          "0.9.0",
          "production",
        ]);
      }
    }
  });

  test("passes the other way round, and with the failing tags allowed", async () => {
    expect((await gate(["0.9.0", "0.9.0", "--json"])).code).toBe(0);
    const allow = ["difficulty-spike:furnace", "confusion:*"].map((tag) => ({
      ...{ tag, reason: "STUDIO-7" },
      expires: "2099-01-01",
    }));
    const { code, out } = await gate(["0.8.0", "0.9.0", "--json"], { cwd: folderWith({ gate: { allow } }) });
    const verdict = gateVerdict.parse(JSON.parse(out));
    expect([code, verdict.verdict, verdict.allow.map(({ used }) => used)]).toEqual([
      0,
      "passed",
      [true, true],
    ]);
  });

  test("by previous and latest is that of the builds they stand for", async () => {
    // The demo's newest sessions are chat threads, which know no build.
    const { out } = await gate(["previous", "0.9.0", "--json"]);
    expect(JSON.parse(out).a.version).not.toBe("0.9.0");
  });

  test("is inconclusive with too few testers, exit 11, or as --on-inconclusive says", async () => {
    const argv = ["0.8.0", "0.9.0", "--min-testers", "500"];
    const { code, err } = await gate(argv);
    expect([code, err]).toEqual([11, expect.stringContaining("has 20 of the 500 testers")]);
    for (const what of ["warn", "pass"]) {
      const run = await gate([...argv, "--on-inconclusive", what]);
      expect(run.code).toBe(0);
      expect(run.err.includes("Warning: inconclusive: ")).toBe(what === "warn");
    }
  });

  test("is never taken from an error of the service", async () => {
    for (const [status, exit] of [
      [500, 50],
      [401, 41],
      [404, 44],
    ] as const) {
      const { transport } = script({ status, body: { error: "x" } });
      const run = await runCli(["gate", "1", "2", "-g", "ember", "--json"], {
        env: { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k" },
        transport,
      });
      expect([run.code, run.out]).toEqual([exit, ""]);
    }
  });
});

describe("the rules", () => {
  test("come from the file, and flags go before them", async () => {
    const cwd = folderWith({ gate: { maxIncreasePoints: 100 } });
    expect((await gate(["0.8.0", "0.9.0"], { cwd })).code).toBe(0);
    expect((await gate(["0.8.0", "0.9.0", "--max-increase", "10"], { cwd })).code).toBe(10);
  });

  test("--fail-on judges these kinds alone", async () => {
    const { out } = await gate(["0.8.0", "0.9.0", "--fail-on", "got_larger", "--json"]);
    const verdict = gateVerdict.parse(JSON.parse(out));
    const levels = new Map(verdict.findings.map(({ kind, level }) => [kind, level]));
    expect([levels.get("introduced"), levels.get("got_larger")]).toEqual(["off", "error"]);
  });

  test.each([
    [{ gate: { kinds: { introduced: { level: "fatal" } } } }, "gate.kinds.introduced.level"],
    [{ gate: { maxIncrese: 5 } }, "maxIncrese"],
    [{ gate: { allow: [{ tag: "x", expires: "2026-02-30", reason: "y" }] } }, "gate.allow.0.expires"],
    [{ gate: { allow: [{ tag: "x", expires: "2026-02-01" }] } }, "gate.allow.0.reason"],
    [{ gate: [] }, "gate"],
  ])("%j is refused, the field named", async (config, field) => {
    const { code, err, out } = await gate(["0.8.0", "0.9.0"], { cwd: folderWith(config) });
    expect([code, out]).toEqual([3, ""]);
    expect(err).toContain(field);
  });

  test("--config names another file", async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "strict.json"), JSON.stringify({ gate: { minTesters: 400 } }));
    expect((await gate(["0.8.0", "0.9.0", "--config", "strict.json"], { cwd })).code).toBe(11);
    expect((await gate(["0.8.0", "0.9.0", "--config", "none.json"], { cwd })).code).toBe(3);
  });
});

describe("gate init", () => {
  test("writes rules that the gate takes, and a schema that knows each", async () => {
    const cwd = freshFolder();
    const { code, out } = await gate(["init"], { cwd });
    expect([code, out]).toEqual([0, expect.stringContaining("playtest.config.json")]);
    const config = JSON.parse(readFileSync(join(cwd, "playtest.config.json"), "utf8"));
    const schema = JSON.parse(readFileSync(join(cwd, config.$schema), "utf8"));
    for (const name of Object.keys(config.gate)) {
      expect(schema.properties.gate.properties[name].description).toBeTruthy();
    }
    expect((await gate(["0.8.0", "0.9.0"], { cwd })).code).toBe(10);
  });

  test("keeps what the file holds, and refuses to write over rules", async () => {
    const cwd = folderWith({ game: "ember", other: [1] });
    await gate(["init"], { cwd });
    const config = JSON.parse(readFileSync(join(cwd, "playtest.config.json"), "utf8"));
    expect([config.game, config.other]).toEqual(["ember", [1]]);
    const again = await gate(["init"], { cwd });
    expect([again.code, again.err]).toEqual([3, expect.stringContaining("has rules for the gate already")]);
  });
});

describe("a saved baseline", () => {
  test("gives the verdict that the build itself gives", async () => {
    const cwd = freshFolder();
    const saved = await gate(["save", "0.8.0", "--out", "base.json"], { cwd });
    expect([saved.code, saved.err]).toEqual([0, ""]);
    const live = JSON.parse((await gate(["0.8.0", "0.9.0", "--json"], { cwd })).out);
    const { code, out } = await gate(["@base.json", "0.9.0", "--json"], { cwd });
    expect([code, JSON.parse(out)]).toEqual([10, live]);
  });

  test.each([
    ["nothing", null, "cannot be read"],
    ["no JSON", "{", "is not JSON"],
    ["another JSON", '{"a":1}', "is no baseline"],
  ])("that is %s is refused", async (_what, content, told) => {
    const cwd = freshFolder();
    if (content !== null) writeFileSync(join(cwd, "base.json"), content);
    const { code, err } = await gate(["@base.json", "0.9.0"], { cwd });
    expect([code, err]).toEqual([3, expect.stringContaining(told)]);
  });

  test("of another game or environment is refused", async () => {
    const cwd = freshFolder();
    await gate(["save", "0.8.0", "--env", "all", "--out", "base.json"], { cwd });
    const { code, err } = await gate(["@base.json", "0.9.0"], { cwd });
    expect([code, err]).toEqual([3, expect.stringContaining("The baseline is of ember in all")]);
  });
});

describe("--wait", () => {
  /** A service whose build comes with the third look, and is analysed with the fifth. */
  function comingBuild() {
    let looks = 0;
    const missing: Given = { status: 404, body: { error: "Not found" } };
    const replies: Record<string, (status: string | null) => Given> = {
      compare() {
        looks += 1;
        return looks < 3 ? missing : { body: comparedWith(looks < 4 ? 2 : 20) };
      },
      sessions: (status) => ({
        body: { items: [], hasMore: false, total: status === "pending" && looks < 5 ? 3 : 0 },
      }),
      // The baseline.
      1: () => ({ body: answers.getBuild }),
    };
    return script(({ url }): Given => {
      const { pathname, searchParams } = new URL(url);
      const reply = replies[pathname.split("/").at(-1) ?? ""];
      return reply ? reply(searchParams.get("status")) : missing;
    });
  }

  /** A comparison in which nothing changed, with so many testers of b. */
  function comparedWith(testers: number) {
    const side = (version: string, of: number) => ({
      version,
      testersInBatch: of,
      sessionCount: of,
      byTag: [{ tag: "confusion:x", testersWithTag: 1, testersInBatch: of, pct: 5, insightCount: 1 }],
    });
    const change = { kind: "carried_over", tag: "confusion:x", deltaPct: 0, testersA: 1, testersB: 1 };
    const totals = { resolved: 0, gotSmaller: 0, carriedOver: 1, gotLarger: 0, introduced: 0 };
    return {
      game: { id: "game_1", userId: "u", name: "Ember", slug: "ember", createdAt: 1 },
      environment: "production",
      buildA: side("1", 20),
      buildB: side("2", testers),
      diff: { changes: [change], totals },
    };
  }
  const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_GAME: "ember" };

  test("looks until the build has its testers and all is analysed, well below the limit", async () => {
    const { transport, requests } = comingBuild();
    const clock = { now: 1_772_000_000_000 };
    const run = await runCli(["gate", "1", "2", "--wait", "30m", "--fail-on", "carried_over"], {
      env,
      transport,
      clock,
    });
    expect([run.code, run.waits]).toEqual([0, [15_000, 15_000, 15_000, 15_000]]);
    expect(run.err).toContain("Waiting for 2: not there yet");
    expect(run.err).toContain("Waiting for 2: 2 of 5 testers, 3 sessions still to be analysed");
    expect(requests.length).toBeLessThan(60);
  });

  test("does not wait for a baseline that is not there", async () => {
    const { transport } = comingBuild();
    const run = await runCli(["gate", "0", "2", "--wait", "30m"], { env, transport });
    expect([run.code, run.waits]).toEqual([44, []]);
    expect(run.err).toContain('version "0"');
  });

  test("in vain for a build that never comes is exit 44, and for its analysis inconclusive", async () => {
    const never = comingBuild();
    const lost = await runCli(["gate", "1", "2", "--wait", "10s"], { env, transport: never.transport });
    expect(lost.code).toBe(44);
    const slow = comingBuild();
    const argv = ["gate", "1", "2", "--wait", "45s", "--fail-on", "carried_over", "--json"];
    const run = await runCli(argv, { env, transport: slow.transport });
    expect([run.code, JSON.parse(run.out).reasons]).toEqual([
      11,
      ["3 sessions of 2 still to be analysed after the wait"],
    ]);
  });
});

describe("reports", () => {
  test("of every kind in one run, each in its file, and the runner's files added to", async () => {
    const cwd = freshFolder();
    const [summary, output] = [join(cwd, "summary.md"), join(cwd, "output.txt")];
    writeFileSync(summary, "before\n");
    const kinds = [
      "text=out/gate.txt",
      "json=out/gate.json",
      "junit=out/gate.xml",
      "md=out/gate.md",
      "github",
    ];
    const { code, err } = await gate(["0.8.0", "0.9.0", ...kinds.flatMap((kind) => ["--report", kind])], {
      cwd,
      env: { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output },
    });
    expect(code).toBe(10);
    const read = (name: string) => readFileSync(join(cwd, "out", name), "utf8");
    expect(gateVerdict.parse(JSON.parse(read("gate.json"))).verdict).toBe("failed");
    expect(read("gate.txt")).toContain("difficulty-spike:furnace");
    expect(read("gate.xml")).toMatch(/^<\?xml[\s\S]*<failure /);
    expect(read("gate.md")).toMatch(/^<!-- playtest-gate:ember:production -->/);
    expect(readFileSync(summary, "utf8")).toMatch(/^before\n[\s\S]*difficulty-spike:furnace/);
    expect(readFileSync(output, "utf8")).toMatch(/verdict/);
    expect(err).toMatch(/^::error /m);
  });

  test("go to standard output where they name no file, one document alone", async () => {
    expect((await gate(["0.8.0", "0.9.0", "--report", "junit"])).out).toMatch(/^<\?xml/);
    const two = await gate(["0.8.0", "0.9.0", "--report", "junit", "--report", "md"]);
    expect([two.code, two.err]).toEqual([2, expect.stringContaining("cannot both go to standard output")]);
    expect((await gate(["0.8.0", "0.9.0", "--report", "md", "--json"])).code).toBe(2);
  });

  test("with JSON the annotations leave standard output to it", async () => {
    const { out, err } = await gate(["0.8.0", "0.9.0", "--report", "github", "--json"]);
    expect(JSON.parse(out).verdict).toBe("failed");
    expect(err).toMatch(/^::error /m);
  });

  test.each(["xml", "junit=", "github=x", ""])("%j is no report", async (report) => {
    const { code, out } = await gate(["0.8.0", "0.9.0", "--report", report]);
    expect([code, out]).toEqual([2, ""]);
  });

  test("that cannot be written are an error, not a verdict", async () => {
    const cwd = freshFolder();
    mkdirSync(join(cwd, "taken"));
    const { code, err, out } = await gate(["0.8.0", "0.9.0", "--report", "json=taken"], { cwd });
    expect([code, out]).toEqual([3, ""]);
    expect(err).toContain("cannot be written");
    expect(existsSync(join(cwd, `taken.${process.pid}.tmp`))).toBe(false);
  });
});
