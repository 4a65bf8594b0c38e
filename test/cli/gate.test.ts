/** gate: verdicts and exit codes, rules from the file and flags, baselines, --wait and reports. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gateVerdict } from "../../src/gate/verdict.ts";
import { responseBodies, SESSION } from "../client/response-fixtures.ts";
import { type ScriptedReply, script } from "../client/script.ts";
import { type CliOptions, freshFolder, NOW, runCli, type TestService } from "../harness.ts";
import { startDemo } from "./demo.ts";

let service: TestService;
beforeAll(async () => {
  service = await startDemo("studio");
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
  test("fails on significant increases, with existing insights as evidence", async () => {
    const { code, out, err } = await gate(["0.8.0", "0.9.0", "--json"]);
    expect(code).toBe(10);
    const verdict = gateVerdict.parse(JSON.parse(out));
    const failed = verdict.findings.filter(({ status }) => status === "failed");
    expect(failed.map(({ tag }) => tag)).toContain("difficulty-spike:furnace");
    expect(err).toContain("Failed: Difficulty spike in furnace (difficulty-spike:furnace) was introduced");
    for (const { tag, evidence } of failed) {
      expect(evidence.length).toBeGreaterThan(0);
      for (const { insightId, sessionId } of evidence) {
        const { json } = await service.get(`/api/v1/sessions/${sessionId}`);
        const insight = json.insights.find(({ id }: { id: string }) => id === insightId);
        expect([insight.tag, json.session.metadata.gameVersion, json.session.environment]).toEqual([
          tag,
          "0.9.0",
          "production",
        ]);
      }
    }
  });

  test("passes with a higher --max-increase, and with exceptions for the failing tags", async () => {
    expect((await gate(["0.8.0", "0.9.0", "--max-increase", "100"])).code).toBe(0);
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

  test("resolves previous to the build before b", async () => {
    // `latest` is not used: the newest sessions of the demo are chat threads, which have no build.
    const { out } = await gate(["previous", "0.9.0", "--json"]);
    expect(JSON.parse(out).a.version).not.toBe("0.9.0");
  });

  test("is inconclusive with too few testers: exit code 11, or as set by --on-inconclusive", async () => {
    const argv = ["0.8.0", "0.9.0", "--min-testers", "500"];
    const { code, err } = await gate(argv);
    expect([code, err]).toEqual([
      11,
      expect.stringContaining("has 20 testers in production; at least 500 are required"),
    ]);
    for (const what of ["warn", "pass"]) {
      const run = await gate([...argv, "--on-inconclusive", what]);
      expect(run.code).toBe(0);
      expect(run.err.includes("Warning: inconclusive: ")).toBe(what === "warn");
    }
  });

  test("is never derived from an error of the service", async () => {
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
  test("come from the file, and flags override them", async () => {
    const cwd = folderWith({ gate: { maxIncreasePoints: 100 } });
    expect((await gate(["0.8.0", "0.9.0"], { cwd })).code).toBe(0);
    expect((await gate(["0.8.0", "0.9.0", "--max-increase", "10"], { cwd })).code).toBe(10);
  });

  test("--fail-on checks only the listed kinds", async () => {
    const { out } = await gate(["0.8.0", "0.9.0", "--fail-on", "got_larger", "--json"]);
    const verdict = gateVerdict.parse(JSON.parse(out));
    const levels = new Map(verdict.findings.map(({ kind, level }) => [kind, level]));
    expect([levels.get("introduced"), levels.get("got_larger")]).toEqual(["off", "error"]);
  });

  test.each([
    [{ gate: { kinds: { introduced: { level: "fatal" } } } }, "gate.kinds.introduced.level"],
    [{ gate: { maxIncrese: 5 } }, "maxIncrese"],
    [{ gate: { allow: [{ tag: "x", expires: "2026-02-30", reason: "y" }] } }, "gate.allow[0].expires"],
    [{ gate: { allow: [{ tag: "x", expires: "2026-02-01" }] } }, "gate.allow[0].reason"],
    [{ gate: [] }, "gate"],
    [
      { gate: { limits: { engagementRate: {} } } },
      "gate.limits.engagementRate must have min or maxDropPoints",
    ],
  ])("rejects %j and names the field", async (config, field) => {
    const { code, err, out } = await gate(["0.8.0", "0.9.0"], { cwd: folderWith(config) });
    expect([code, out]).toEqual([3, ""]);
    expect(err).toContain(field);
  });

  test("for kinds and tags are overridden by flags too", async () => {
    const loose = { maxIncreasePoints: 100, minTesters: 500, confidence: 0.9999 };
    const config = { gate: { kinds: { introduced: loose }, tags: [{ tag: "difficulty-*", ...loose }] } };
    const flags = ["--max-increase", "10", "--min-testers", "8", "--confidence", "0.9"];
    const { code, out } = await gate(["0.8.0", "0.9.0", ...flags, "--json"], { cwd: folderWith(config) });
    const { findings } = gateVerdict.parse(JSON.parse(out));
    expect(code).toBe(10);
    for (const { expected } of findings)
      expect(expected).toEqual({ maxIncreasePoints: 10, minTesters: 8, confidence: 0.9 });
  });

  test("for tags do not apply to kinds that --fail-on does not list, and keep their level for listed kinds", async () => {
    const tags = [
      { tag: "*", level: "error" },
      { tag: "difficulty-*", level: "warn" },
    ];
    const argv = ["0.8.0", "0.9.0", "--fail-on", "introduced", "--json"];
    const { out } = await gate(argv, { cwd: folderWith({ gate: { tags } }) });
    const { findings } = gateVerdict.parse(JSON.parse(out));
    const levels = new Set(findings.map(({ tag, kind, level }) => `${kind} ${tag.split("-")[0]} ${level}`));
    expect([...levels].filter((one) => one.startsWith("introduced"))).toContain("introduced difficulty warn");
    expect([...levels].filter((one) => !one.startsWith("introduced") && !one.endsWith("off"))).toEqual([]);
  });

  test("--config names another file", async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "strict.json"), JSON.stringify({ gate: { minTesters: 400 } }));
    expect((await gate(["0.8.0", "0.9.0", "--config", "strict.json"], { cwd })).code).toBe(11);
    expect((await gate(["0.8.0", "0.9.0", "--config", "none.json"], { cwd })).code).toBe(3);
  });
});

test("a new tag that the limit allows cannot be what the gate has to notice", async () => {
  const { code, err } = await gate(["0.8.0", "0.9.0", "--detect", "10"]);
  expect([code, err]).toEqual([
    2,
    expect.stringContaining(
      "A new tag that affects 10% of testers (--detect) never fails the gate, because increases of up to 10 percentage points are allowed (--max-increase)",
    ),
  ]);
  expect((await gate(["0.8.0", "0.9.0", "--detect", "10", "--max-increase", "9"])).code).not.toBe(2);
});

describe("gate plan", () => {
  test("needs no service without builds", async () => {
    const { code, out } = await runCli(["gate", "plan", "--detect", "40"]);
    expect([code, out]).toEqual([
      0,
      "With 22 testers per build, the gate has a probability of 80% to notice a new problem that affects 40% of testers (among 20 compared tags).\n",
    ]);
  });

  test("uses the tags of two builds", async () => {
    const { code, out } = await gate(["plan", "0.8.0", "0.9.0", "--json"]);
    const verdict = gateVerdict.parse(JSON.parse((await gate(["0.8.0", "0.9.0", "--json"])).out));
    expect([code, JSON.parse(out)]).toEqual([
      0,
      { detect: 40, power: 80, tags: verdict.judged, testersPerBuild: expect.any(Number) },
    ]);
    expect((await gate(["plan", "0.8.0"])).code).toBe(2);
  });
});

describe("--sequential", () => {
  test("tests at quarters of the plan, and repeats the verdict in between", async () => {
    const cwd = freshFolder();
    const run = async (b: string, planned: string) => {
      const argv = ["0.8.0", b, "--sequential", "state.json", "--planned-testers", planned, "--json"];
      const { code, out } = await gate(argv, { cwd });
      return { code, verdict: gateVerdict.parse(JSON.parse(out)) };
    };
    const waiting = await run("0.9.0", "1000");
    expect([waiting.code, waiting.verdict.reasons[0]]).toEqual([
      11,
      expect.stringMatching(/^--sequential runs its first test with 250 testers of 0\.9\.0/),
    ]);
    expect(existsSync(join(cwd, "state.json"))).toBe(false);
    const tested = await run("0.9.0", "20");
    expect(tested.code).toBe(10);
    expect(tested.verdict.notes).toContain("This was the last test: later runs repeat its result.");
    const repeated = await run("0.9.0", "20");
    expect([repeated.code, repeated.verdict.findings]).toEqual([10, tested.verdict.findings]);
    const note = expect.stringMatching(
      /^Not tested again: this is the stored result of the test with \d+ testers\./,
    );
    expect(repeated.verdict.notes).toContainEqual(note);
    expect(JSON.parse(readFileSync(join(cwd, "state.json"), "utf8"))).toMatchObject({
      rules: { b: "0.9.0", plannedTesters: 20 },
      spent: expect.closeTo(0.05, 9),
    });
    writeFileSync(join(cwd, "state.json"), "{}");
    expect((await gate(["0.8.0", "0.9.0", "--sequential", "state.json"], { cwd })).code).toBe(3);
  });

  test("states the significance level of the run in its rules, and no other number of testers than the plan", async () => {
    const cwd = freshFolder();
    const argv = [
      "0.8.0",
      "0.9.0",
      "--sequential",
      "state.json",
      "--planned-testers",
      "80",
      "--detect",
      "15",
    ];
    const { verdict, reasons, notes, findings } = gateVerdict.parse(
      JSON.parse((await gate([...argv, "--json"], { cwd })).out),
    );
    const { spent } = JSON.parse(readFileSync(join(cwd, "state.json"), "utf8"));
    expect(spent).toBeLessThan(0.01);
    expect(findings.map(({ expected }) => 1 - expected.confidence)).toEqual(
      findings.map(() => expect.closeTo(spent, 9)),
    );
    const { out } = await gate([...argv, "--wide"], { cwd });
    expect(out.replaceAll(/\s+/g, " ")).toContain(
      `(corrected p-value above ${Number(spent.toPrecision(4))})`,
    );
    if (verdict === "inconclusive") expect(reasons.join()).not.toContain("would be enough");
    expect(notes.join()).toContain("The next test is due with 40 testers, and the last one with 80.");
  });

  test("stores nothing if nothing was tested", async () => {
    const cwd = freshFolder();
    const argv = ["0.8.0", "0.9.0", "--sequential", "state.json", "--planned-testers", "20"];
    expect((await gate([...argv, "--min-testers", "1000"], { cwd })).code).toBe(11);
    expect(existsSync(join(cwd, "state.json"))).toBe(false);
  });

  test("refuses the state of runs with other rules or builds, and names what changed", async () => {
    const cwd = freshFolder();
    const run = (...argv: string[]) =>
      gate(["0.8.0", "0.9.0", "--sequential", "state.json", "--planned-testers", "20", ...argv], { cwd });
    const state = () => readFileSync(join(cwd, "state.json"), "utf8");
    expect((await run("--max-increase", "90")).code).toBe(0);
    const before = state();
    const refused = async (...argv: string[]) => {
      const { code, err } = await run(...argv);
      expect([code, state()]).toEqual([2, before]);
      return err.split("had other builds or rules: ")[1]?.split("\n")[0];
    };
    expect([
      await refused(),
      await refused("--max-increase", "90", "--planned-testers", "40"),
      await refused("--max-increase", "90", "--confidence", "0.9", "--fail-on", "introduced"),
      await refused("--max-increase", "90", "--env", "all"),
    ]).toEqual([
      "maxIncreasePoints (was 90, now 10)",
      "plannedTesters (was 20, now 40)",
      "confidence (was 0.95, now 0.9), failOn",
      "environment (was production, now all)",
    ]);
    expect((await run("--max-increase", "90", "--on-inconclusive", "pass")).code).toBe(0);
    writeFileSync(join(cwd, "playtest.config.json"), '{"gate":{"limits":{"medianActiveSec":{"min":1}}}}');
    expect(await refused("--max-increase", "90")).toBe("limits");
  });
});

test("--sequential does not check limits before the first test", async () => {
  const limits = { bugReportsPerSession: { max: 0 } };
  const cwd = folderWith({ gate: { limits, plannedTesters: 1000 } });
  const argv = ["0.8.0", "0.9.0", "--sequential", "state.json"];
  const { code, out } = await gate([...argv, "--json"], { cwd });
  expect([code, gateVerdict.parse(JSON.parse(out)).limits]).toMatchObject([
    11,
    [{ status: "unknown", reason: "no test is due yet" }],
  ]);
  expect((await gate(argv, { cwd })).out).toContain("not checked (no test is due yet)");
});

describe("gate init", () => {
  test("writes valid rules and a schema for each of them", async () => {
    const cwd = freshFolder();
    const { code, out } = await gate(["init"], { cwd });
    expect([code, out]).toEqual([0, expect.stringContaining("playtest.config.json")]);
    const config = JSON.parse(readFileSync(join(cwd, "playtest.config.json"), "utf8"));
    const schema = JSON.parse(readFileSync(join(cwd, config.$schema), "utf8"));
    for (const name of Object.keys(config.gate)) {
      expect(schema.properties.gate.properties[name].description).toBeTruthy();
    }
    expect(Object.keys(config.gate.limits)).toEqual(
      Object.keys(schema.properties.gate.properties.limits.properties),
    );
    expect((await gate(["0.8.0", "0.9.0"], { cwd })).code).toBe(10);
  });

  test("keeps the content of the file and does not overwrite rules", async () => {
    const cwd = folderWith({ game: "ember", other: [1] });
    await gate(["init"], { cwd });
    const config = JSON.parse(readFileSync(join(cwd, "playtest.config.json"), "utf8"));
    expect([config.game, config.other]).toEqual(["ember", [1]]);
    const again = await gate(["init"], { cwd });
    expect([again.code, again.err]).toEqual([3, expect.stringContaining("already has gate rules")]);
  });
});

/** A baseline of 20 testers with these counts by tag. Each record adds separate entries. */
function baselineOf(...records: Readonly<Record<string, number>>[]): string {
  const byTag = records.flatMap((record) =>
    Object.entries(record).map(([tag, testers]) => ({ tag, testers, insights: testers })),
  );
  const build = { version: "0.7.0", testers: 20, sessions: 20, byTag, stats: null };
  const head = { playtestBaseline: 1, game: "ember", environment: "production", savedAt: "2026-01-01" };
  return JSON.stringify({ ...head, ...build });
}

describe("a build compared with itself", () => {
  test.each([
    ["0.9.0", "0.9.0"],
    ["latest", "latest"],
  ])("%s %s is a usage error", async (a, b) => {
    const { code, err, out } = await gate([a, b]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(`Both builds are ${a}`);
  });

  test("is reported with the word that was resolved to it", async () => {
    const session = (responseBodies.listSessions as { items: { metadata: { gameVersion: string } }[] })
      .items[0];
    const { gameVersion } = session?.metadata ?? { gameVersion: "" };
    const { transport } = script({ body: responseBodies.listSessions });
    const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_GAME: "ember" };
    const run = await runCli(["gate", "latest", gameVersion], { env, transport });
    expect([run.code, run.err]).toEqual([
      2,
      expect.stringContaining(`Both builds are ${gameVersion} (resolved from latest)`),
    ]);
  });

  test.each([
    ["", "", "The build is an empty text"],
    ["", "0.9.0", "The baseline is an empty text"],
    ["previous", "", "The build is an empty text"],
  ])("rejects an empty variable of a pipeline: %j %j", async (a, b, message) => {
    const { code, err } = await gate([a, b]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test("rejects a saved baseline as the build to check", async () => {
    const { code, err } = await gate(["0.8.0", "@base.json"]);
    expect([code, err]).toEqual([2, expect.stringContaining("@base.json is a saved baseline")]);
  });
});

describe("a build that does not exist", () => {
  test("exits with 44; a build without sessions in the environment is inconclusive", async () => {
    expect((await gate(["0.8.0", "9.9.9"])).code).toBe(44);
    expect((await gate(["previous", "9.9.9"])).code).toBe(44);
    const waited = await gate(["previous", "9.9.9", "--wait", "5s"], { clock: { now: NOW } });
    expect([waited.code, waited.waits]).toEqual([44, [5_000]]);
    const empty = await gate(["0.9.0", "0.8.0", "--env", "lab"]);
    expect([empty.code, empty.err]).toEqual([11, expect.stringContaining("has no testers in lab")]);
    const unknown = await gate(["0.8.0", "0.9.0", "--env", "dev"]);
    expect([unknown.code, unknown.err]).toEqual([44, expect.stringContaining('"dev" not found')]);
  });
});

describe("a saved baseline", () => {
  test("leads to the same verdict as the build itself, without ratings and completed rooms", async () => {
    const cwd = freshFolder();
    const saved = await gate(["save", "0.8.0", "--out", "base.json"], { cwd });
    expect([saved.code, saved.err]).toEqual([0, ""]);
    const live = JSON.parse((await gate(["0.8.0", "0.9.0", "--json"], { cwd })).out);
    const { code, out } = await gate(["@base.json", "0.9.0", "--json"], { cwd });
    expect(live.outcomes.a.ratings.length).toBeGreaterThan(0);
    expect([code, JSON.parse(out)]).toEqual([10, { ...live, outcomes: null }]);
    const sentence = /Testers completed \d+ of \d+ rooms they entered in 0\.8\.0 and \d+ of \d+ in 0\.9\.0\./;
    const asText = async (a: string) => (await gate([a, "0.9.0"], { cwd })).out.replace(/\s+/g, " ");
    expect(await asText("0.8.0")).toMatch(sentence);
    expect(await asText("@base.json")).not.toMatch(/rated|completed/);
  });

  test.each([
    ["missing", null, "file not found"],
    ["not JSON", "{", "is not valid JSON"],
    [
      "a tag with more testers than the build",
      baselineOf({ "x:y": 21 }),
      'byTag: tag "x:y" has 21 testers, but the build has only 20',
    ],
    ["a tag twice", baselineOf({ x: 1 }, { x: 2 }), 'byTag: tag "x" is listed twice'],
    ["another JSON", '{"a":1}', "is not a baseline"],
  ])("is rejected: %s", async (_what, content, message) => {
    const cwd = freshFolder();
    if (content !== null) writeFileSync(join(cwd, "base.json"), content);
    const { code, err } = await gate(["@base.json", "0.9.0"], { cwd });
    expect([code, err]).toEqual([3, expect.stringContaining(message)]);
  });

  test("without @ is a usage error that shows the command", async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "base.json"), baselineOf({ x: 1 }));
    writeFileSync(join(cwd, "my base"), baselineOf({ x: 1 }));
    const run = await gate(["base.json", "0.9.0"], { cwd });
    expect([run.code, run.err]).toEqual([2, expect.stringContaining("must start with @")]);
    expect(run.err).toContain("hint: Run `playtest gate @base.json 0.9.0`.");
    expect((await gate(["my base", "0.9.0"], { cwd })).err).toContain("`playtest gate '@my base' 0.9.0`");
    expect((await gate(["plan", "base.json", "0.9.0"], { cwd })).code).toBe(2);
    const swapped = await gate(["0.8.0", "base.json"], { cwd });
    expect([swapped.code, swapped.err]).toEqual([
      2,
      expect.stringContaining("base.json is a saved baseline"),
    ]);
  });

  test("without @ is suggested if no build has the name of the file", async () => {
    const { code, err } = await gate(["base.json", "0.9.0"]);
    expect([code, err]).toEqual([44, expect.stringContaining('has no build "base.json"')]);
    expect(err).toContain("hint: If base.json is a saved baseline, run `playtest gate @base.json 0.9.0");
    const other = await gate(["0.8.0", "b.json"]);
    expect([other.code, other.err]).toEqual([44, expect.not.stringContaining("saved baseline")]);
    const cwd = freshFolder();
    writeFileSync(join(cwd, "0.8.0"), "a file with the name of a build");
    expect((await gate(["0.8.0", "0.9.0"], { cwd })).code).toBe(10);
  });

  test("is not quoted if it is not JSON", async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "base.json"), "pt_mgmt_secret: hush");
    const { code, err } = await gate(["@base.json", "0.9.0", "--debug"], { cwd });
    expect(code).toBe(3);
    expect(err).not.toMatch(/pt_mgmt|hush/);
  });

  test("of the checked build itself is noted", async () => {
    const cwd = freshFolder();
    await gate(["save", "0.9.0", "--out", "base.json"], { cwd });
    const { code, out } = await gate(["@base.json", "0.9.0", "--json"], { cwd });
    expect(code).toBe(0);
    const note = "The baseline and the build are both 0.9.0, so ";
    expect(JSON.parse(out).notes).toContainEqual(expect.stringContaining(note));
  });

  test("is written into a new folder", async () => {
    const cwd = freshFolder();
    const { code } = await gate(["save", "0.8.0", "--out", "deep/er/base.json"], { cwd });
    expect([code, existsSync(join(cwd, "deep/er/base.json"))]).toEqual([0, true]);
  });

  test.each([".", "taken", "new/"])("is not written over a folder: %s", async (out) => {
    const cwd = freshFolder();
    mkdirSync(join(cwd, "taken"));
    const { code, err } = await gate(["save", "0.8.0", "--out", out], { cwd });
    expect([code, err]).toEqual([3, expect.stringContaining(`Cannot write the baseline ${out}: it is a`)]);
    expect(err).not.toContain(".tmp");
  });

  test("of another game or environment is rejected", async () => {
    const cwd = freshFolder();
    await gate(["save", "0.8.0", "--env", "all", "--out", "base.json"], { cwd });
    const { code, err } = await gate(["@base.json", "0.9.0"], { cwd });
    expect([code, err]).toEqual([3, expect.stringContaining("The baseline was saved from ember in all")]);
  });
});

const missing: ScriptedReply = { status: 404, body: { error: "Not found" } };
/** Sessions of builds, the newest first, a day apart. */
const played = (versions: readonly string[]): ScriptedReply => {
  const items = versions.map((gameVersion, at) => ({
    ...SESSION,
    id: `sess_${at}`,
    recordedAt: SESSION.recordedAt - at * 86_400_000,
    metadata: { ...SESSION.metadata, gameVersion },
  }));
  return { body: { items, hasMore: false, total: items.length } };
};

/** Responds to requests for b and for the game's sessions, depending on the number of the request. */
function comes(isThere: (looks: number) => boolean, hasEarlier: boolean) {
  let looks = 0;
  return (word: string, query: URLSearchParams): ScriptedReply | null => {
    const isNewest = word === "sessions" && !query.has("build");
    if (!isNewest && word !== "2") return null;
    looks += 1;
    const there = isThere(looks);
    if (isNewest) return played(there ? ["2", ...(hasEarlier ? ["1"] : [])] : []);
    return there ? { body: responseBodies.getBuild } : missing;
  };
}

describe("--wait", () => {
  /**
   * A service whose build exists from the third poll and is analyzed from the fifth. With `isThere`, the number of the
   * poll decides whether the build and its sessions exist.
   */
  function appearingBuild({
    isThere,
    hasEarlier = true,
    unfinished = 3,
  }: {
    isThere?: (looks: number) => boolean;
    hasEarlier?: boolean;
    unfinished?: number;
  } = {}) {
    let looks = 0;
    const replies: Record<string, (status: string | null) => ScriptedReply> = {
      compare() {
        looks += 1;
        return looks < 3 ? missing : { body: comparedWith(looks < 4 ? 2 : 20) };
      },
      sessions: (status) => ({
        body: { items: [], hasMore: false, total: status === "pending" && looks < 5 ? unfinished : 0 },
      }),
      // The baseline.
      1: () => ({ body: responseBodies.getBuild }),
    };
    const looked = isThere ? comes(isThere, hasEarlier) : () => null;
    return script(({ url }): ScriptedReply => {
      const { pathname, searchParams } = new URL(url);
      const word = pathname.split("/").at(-1) ?? "";
      return looked(word, searchParams) ?? replies[word]?.(searchParams.get("status")) ?? missing;
    });
  }

  /** A comparison without changes, with this many testers of b. */
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

  test("polls until the build has enough testers and is analyzed, well below the rate limit", async () => {
    const { transport, requests } = appearingBuild();
    const clock = { now: 1_772_000_000_000 };
    const run = await runCli(["gate", "1", "2", "--wait", "30m", "--fail-on", "carried_over"], {
      env,
      transport,
      clock,
    });
    expect([run.code, run.waits]).toEqual([0, [15_000, 15_000, 15_000, 15_000]]);
    expect(run.err).toContain(
      "Waiting up to 30 min for build 2 of ember: at least 5 testers in production, and all of its sessions analyzed",
    );
    expect(run.err).toContain("Waiting for 2: no sessions yet");
    expect(run.err).toContain("Waiting for 2: 2 testers (5 required), 3 sessions not analyzed yet");
    expect(requests.length).toBeLessThan(60);
  });

  test("waits for b if the baseline is previous, or b the latest build of a game without sessions", async () => {
    for (const [a, b] of [
      ["previous", "2"],
      ["1", "latest"],
      ["previous", "latest"],
    ] as const) {
      const { transport } = appearingBuild({ isThere: (looks) => looks >= 3 });
      const run = await runCli(["gate", a, b, "--wait", "30m", "--fail-on", "carried_over"], {
        env,
        transport,
      });
      expect([a, b, run.code, run.waits.slice(0, 3)]).toEqual([a, b, 0, [15_000, 15_000, 15_000]]);
      expect(run.err).toContain(`Waiting for ${b}: no sessions yet`);
    }
  });

  test("repeats an unchanged state in a log only every 5 minutes", async () => {
    const { transport } = appearingBuild({ isThere: () => false });
    const { err } = await runCli(["gate", "previous", "2", "--wait", "12m"], { env, transport });
    const left = [...err.matchAll(/Waiting for 2: no sessions yet; (\d+ \w+) left/g)].map(([, time]) => time);
    expect(left).toEqual(["12 min", "7 min", "2 min"]);
  });

  test("does not wait for a game that does not exist", async () => {
    for (const [a, b] of [
      ["previous", "2"],
      ["1", "latest"],
    ] as const) {
      const { transport } = script({ status: 404, body: { error: "Not found" } });
      const run = await runCli(["gate", a, b, "--wait", "30m"], { env, transport });
      expect([run.code, run.waits]).toEqual([44, []]);
    }
  });

  test("does not wait for a build before the first one", async () => {
    const { transport } = appearingBuild({ isThere: () => true, hasEarlier: false });
    const run = await runCli(["gate", "previous", "2", "--wait", "30m"], { env, transport });
    expect([run.code, run.waits]).toEqual([44, []]);
    expect(run.err).toContain('Game "ember" has no build before "2"');
  });

  test("shows a short remaining time in seconds, and one session in the singular", async () => {
    const { transport } = appearingBuild({ unfinished: 1 });
    const clock = { now: 1_772_000_000_000 };
    const argv = ["gate", "1", "2", "--wait", "130s", "--fail-on", "carried_over"];
    const { err } = await runCli(argv, { env, transport, clock });
    expect(err).toContain("; 2 min left");
    expect(err).toContain("1 session not analyzed yet; 100 s left");
    expect(err).not.toContain("1 sessions");
  });

  test("does not wait for a baseline that does not exist", async () => {
    const { transport } = appearingBuild();
    const run = await runCli(["gate", "0", "2", "--wait", "30m"], { env, transport });
    expect([run.code, run.waits]).toEqual([44, []]);
    expect(run.err).toContain('build "0"');
  });

  test("exits with 44 if the build never appears, and is inconclusive if it is never analyzed", async () => {
    const never = appearingBuild();
    const lost = await runCli(["gate", "1", "2", "--wait", "10s"], { env, transport: never.transport });
    expect([lost.code, lost.err]).toEqual([44, expect.stringContaining('build "2" of game "ember"')]);
    expect(lost.err).toContain("after waiting 10 s");
    expect(lost.err).toContain("Check that the game sends this version as gameVersion");
    const slow = appearingBuild();
    const argv = ["gate", "1", "2", "--wait", "45s", "--fail-on", "carried_over", "--json"];
    const run = await runCli(argv, { env, transport: slow.transport });
    expect([run.code, JSON.parse(run.out).reasons]).toEqual([
      11,
      ["stopped waiting after 45s: 3 sessions of 2 are not analyzed yet"],
    ]);
    expect(run.err).toContain("Increase --wait.");
    expect(run.err).not.toContain("Gather more testers");
  });
});

describe("reports", () => {
  test("of every kind are written in one run, and appended to the files of the runner", async () => {
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
    expect(read("gate.md")).toMatch(/^### Gate failed: [\s\S]*\n<!-- playtest-gate:ember:production -->\n$/);
    expect(readFileSync(summary, "utf8")).toMatch(/^before\n[\s\S]*difficulty-spike:furnace/);
    expect(readFileSync(output, "utf8")).toMatch(/verdict/);
    expect(err).toMatch(/^::error /m);
  });

  test("go to standard output without a file, but only one of them", async () => {
    expect((await gate(["0.8.0", "0.9.0", "--report", "junit"])).out).toMatch(/^<\?xml/);
    const two = await gate(["0.8.0", "0.9.0", "--report", "junit", "--report", "md"]);
    expect([two.code, two.err]).toEqual([
      2,
      expect.stringContaining("cannot both be written to standard output"),
    ]);
    expect((await gate(["0.8.0", "0.9.0", "--report", "md", "--json"])).code).toBe(2);
  });

  test("write annotations to stderr, so standard output stays valid JSON", async () => {
    const { out, err } = await gate(["0.8.0", "0.9.0", "--report", "github", "--json"]);
    expect(JSON.parse(out).verdict).toBe("failed");
    expect(err).toMatch(/^::error /m);
  });

  test("cannot share a file", async () => {
    const reports = ["--report", "md=out/gate", "--report", "json=./out/../out/gate"];
    const { code, err, out } = await gate(["0.8.0", "0.9.0", ...reports]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("md and json cannot both be written to ./out/../out/gate");
  });

  test.each(["xml", "junit=", "github=x", ""])("%j is not a report", async (report) => {
    const { code, out } = await gate(["0.8.0", "0.9.0", "--report", report]);
    expect([code, out]).toEqual([2, ""]);
  });

  test("that cannot be written are an error, not a verdict", async () => {
    const cwd = freshFolder();
    mkdirSync(join(cwd, "taken"));
    const { code, err, out } = await gate(["0.8.0", "0.9.0", "--report", "json=taken"], { cwd });
    expect([code, out]).toEqual([3, ""]);
    expect(err).toContain("Cannot write the report taken: it is a folder");
    expect(existsSync(join(cwd, `taken.${process.pid}.tmp`))).toBe(false);
  });
});
