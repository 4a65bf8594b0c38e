/** gate: verdicts and exit codes, rules from the file and flags, baselines, --wait and reports. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClientError } from "../../src/client/errors.ts";
import { type GateCheck, gateVerdict } from "../../src/gate/verdict.ts";
import { responseBodies, SESSION } from "../client/response-fixtures.ts";
import { rateLimited, type ScriptedReply, script } from "../client/script.ts";
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
    const failed = verdict.checks.filter(({ ruling }) => ruling === "failed");
    expect(failed.map(({ id }) => id)).toContain("confusion:feedback-more");
    expect(err).toMatch(/^GATE FAILED: .* \d+ of \d+ checks failed.*: .*confusion:feedback-more/m);
    for (const { id, evidence } of failed.filter(({ family }) => family === "friction")) {
      expect(evidence.length).toBeGreaterThan(0);
      for (const { insightId, sessionId } of evidence) {
        const { json } = await service.get(`/api/v1/sessions/${sessionId}`);
        const insight = json.insights.find(({ id }: { id: string }) => id === insightId);
        expect([insight.tag, json.session.metadata.gameVersion, json.session.environment]).toEqual([
          id,
          "0.9.0",
          "production",
        ]);
      }
    }
  });

  test("passes with a higher --max-increase, and with exceptions for the failing tags", async () => {
    const config = { newRooms: { max: 100 } };
    const loose = ["0.8.0", "0.9.0", "--max-increase", "100"];
    expect((await gate(loose, { cwd: folderWith({ gate: config }) })).code).toBe(0);
    const allow = ["*:furnace", "confusion:*"].map((tag) => ({
      ...{ tag, reason: "STUDIO-7" },
      expires: "2099-01-01",
    }));
    const { code, out } = await gate(["0.8.0", "0.9.0", "--json"], { cwd: folderWith({ gate: { allow } }) });
    const verdict = gateVerdict.parse(JSON.parse(out));
    expect([code, verdict.verdict, verdict.allow[1]?.used]).toEqual([0, "passed", true]);
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
      expect.stringContaining("0.8.0 has 20 testers in production, 500 needed"),
    ]);
    for (const what of ["warn", "pass"]) {
      const run = await gate([...argv, "--on-inconclusive", what]);
      expect(run.code).toBe(0);
      expect(run.err.includes("Warning: NOT ENOUGH DATA: ")).toBe(what === "warn");
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
    const cwd = folderWith({ gate: { maxIncreasePoints: 100, newRooms: { max: 100 } } });
    expect((await gate(["0.8.0", "0.9.0"], { cwd })).code).toBe(0);
    expect((await gate(["0.8.0", "0.9.0", "--max-increase", "10"], { cwd })).code).toBe(10);
  });

  test("--fail-on checks only the listed kinds", async () => {
    const { out } = await gate(["0.8.0", "0.9.0", "--fail-on", "got_larger", "--json"]);
    const { checks } = gateVerdict.parse(JSON.parse(out));
    const levels = (ids: (check: GateCheck) => boolean) =>
      new Set(checks.filter(ids).map(({ level }) => level));
    expect(levels(({ isNewRoom }) => isNewRoom)).toEqual(new Set(["off"]));
    // 6 of 20 testers of 0.8.0 had it, and fewer of 0.9.0, which is a change of less than 10 points upwards.
    expect(levels(({ id }) => id === "difficulty-spike:gardens")).toEqual(new Set(["error"]));
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
    const { checks } = gateVerdict.parse(JSON.parse(out));
    expect(code).toBe(10);
    for (const { limit } of checks.filter(({ level, isNewRoom }) => level !== "off" && !isNewRoom))
      expect(limit).toBe(0.1);
    expect(checks.map(({ ruling }) => ruling)).not.toContain("unsure");
  });

  test("for tags do not apply to kinds that --fail-on does not list, and keep their level for listed kinds", async () => {
    const tags = [
      { tag: "*", level: "error" },
      { tag: "difficulty-*", level: "warn" },
    ];
    const argv = ["0.8.0", "0.9.0", "--fail-on", "introduced", "--json"];
    const { out } = await gate(argv, { cwd: folderWith({ gate: { tags } }) });
    const { checks } = gateVerdict.parse(JSON.parse(out));
    const find = (id: string) => checks.find((check) => check.id === id);
    // Nobody of 0.8.0 entered the furnace, and a tenth of its testers met the gardens' friction at most.
    expect(find("difficulty-spike:furnace")).toMatchObject({ isNewRoom: true, level: "warn" });
    expect(find("confusion:feedback-more")).toMatchObject({ a: { count: 1 }, level: "error" });
    expect(find("difficulty-spike:gardens")).toMatchObject({ a: { count: 6, total: 20 }, level: "off" });
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
      "With 22 testers per build, the gate has a probability of 80% to notice a new problem that affects\n40% of testers (among 20 compared tags).\n",
    ]);
  });

  test("answers from what the testers of two builds did", async () => {
    const { code, out } = await gate(["plan", "0.8.0", "0.9.0", "--json"]);
    const { checks } = gateVerdict.parse(JSON.parse((await gate(["0.8.0", "0.9.0", "--json"])).out));
    const friction = checks.filter(({ family }) => family === "friction");
    const { tags, testersPerBuild, increases } = JSON.parse(out);
    expect([code, tags]).toEqual([0, friction.filter(({ reason }) => reason === null).length]);
    expect(testersPerBuild).toBeGreaterThan(10);
    const shares = friction.map(({ a }) => a.value ?? 0).sort((x, y) => y - x);
    expect(increases.map(({ share }: { share: number }) => share)).toEqual(shares.slice(0, 5));
    for (const { testersPerBuild: needed } of increases) expect(needed).toBeGreaterThan(testersPerBuild);
    expect((await gate(["plan", "0.8.0"])).code).toBe(2);
  });

  test("says it in words, one line for each of the most common problems", async () => {
    const { out } = await gate(["plan", "0.8.0", "0.9.0"]);
    const [needed, , noticed, ...increases] = out.trimEnd().split("\n");
    expect(needed).toMatch(
      /^ember · production · 0\.8\.0 → 0\.9\.0: With \d+ testers per build, the gate has a probability of 80% to/,
    );
    expect(noticed).toMatch(
      /^With 20 and \d+ testers, a new problem must affect \d+ of \d+ to be noticed\.$/,
    );
    expect(increases).toHaveLength(5);
    for (const line of increases) expect(line).toMatch(/^\S+, \d+% → \d+%: \d+ testers per build\.$/);
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
    expect([repeated.code, repeated.verdict.checks]).toEqual([10, tested.verdict.checks]);
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

  test("requires more of a row the earlier the test, and names no other number of testers than the plan", async () => {
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
    const { out } = await gate([...argv, "--json"], { cwd });
    const { verdict, reasons, notes, checks } = gateVerdict.parse(JSON.parse(out));
    const { spent } = JSON.parse(readFileSync(join(cwd, "state.json"), "utf8"));
    expect(spent).toBeLessThan(0.01);
    // Friction and quits share the level.
    for (const { family, adjustedPValue, status } of checks)
      if (family === "friction" && status === "worse") expect(adjustedPValue).toBeLessThanOrEqual(spent / 2);
    if (verdict === "inconclusive") expect(reasons.join()).not.toContain("are enough");
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
    writeFileSync(join(cwd, "playtest.config.json"), '{"gate":{"newRooms":{"max":100}}}');
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
    expect(await refused("--max-increase", "90")).toBe("limits, newRooms");
    writeFileSync(join(cwd, "playtest.config.json"), '{"gate":{"newRooms":{"max":100},"minAnalyzed":50}}');
    expect(await refused("--max-increase", "90")).toBe("minAnalyzed (was 90, now 50)");
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
  expect((await gate([...argv, "--wide"], { cwd })).out).toContain("not checked (no test is due yet)");
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

/** A baseline without testers. */
const BASELINE = JSON.stringify({
  ...{ playtestBaseline: 3, game: "ember", environment: "production", savedAt: "2026-01-01" },
  ...{ version: "0.7.0", testers: 0, analysisVersions: [], anonymousSessions: 0, labels: {}, facts: [] },
  sessions: { open: 0, analyzed: 0, unanalyzed: 0, failed: 0 },
});

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
  test("exits with 11 if it is the one to check: nobody has played it, or it is mistyped", async () => {
    const cwd = freshFolder();
    await gate(["save", "0.8.0", "--out", "base.json"], { cwd });
    for (const a of ["0.8.0", "previous", "@base.json"]) {
      const { code, out, err } = await gate([a, "0.9.00"], { cwd });
      expect([a, code]).toEqual([a, 11]);
      expect(out).toContain("0.9.00 has 0 testers in production, 5 needed");
      expect(out).toContain("0.9.00 has no sessions yet.");
      expect(out).toContain("Did you mean 0.9.0");
      expect(err).toContain("Check that the game sends 0.9.00 as gameVersion");
    }
    expect((await gate(["previous", "9.9.9", "--on-inconclusive", "pass"])).code).toBe(0);
    const waited = await gate(["previous", "9.9.9", "--wait", "5s"], { clock: { now: NOW } });
    expect([waited.code, waited.waits]).toEqual([11, [5_000]]);
    expect(waited.err).toContain("Waiting for 9.9.9: no sessions yet");
  });

  test("exits with 44; a build without sessions in the environment is inconclusive", async () => {
    expect((await gate(["9.9.9", "0.9.0"])).code).toBe(44);
    expect((await gate(["9.9.9", "9.9.8"])).code).toBe(44);
    expect((await gate(["0.8.0", "9.9.9", "--game", "nosuch"])).code).toBe(44);
    const empty = await gate(["0.9.0", "0.8.0", "--env", "lab"]);
    expect([empty.code, empty.err]).toEqual([
      11,
      expect.stringContaining("0.8.0 has 0 testers in lab, 5 needed"),
    ]);
    const unknown = await gate(["0.8.0", "0.9.0", "--env", "dev"]);
    expect([unknown.code, unknown.err]).toEqual([44, expect.stringContaining("No environment dev")]);
  });
});

describe("a saved baseline", () => {
  test("may begin with a byte order mark", async () => {
    const cwd = freshFolder();
    await gate(["save", "0.8.0", "--out", "base.json"], { cwd });
    const file = join(cwd, "base.json");
    writeFileSync(file, `\ufeff${readFileSync(file, "utf8")}`);
    expect((await gate(["@base.json", "0.9.0"], { cwd })).code).toBe(10);
  });

  test("leads to the same verdict as the build itself", async () => {
    const cwd = freshFolder();
    const saved = await gate(["save", "0.8.0", "--out", "base.json"], { cwd });
    expect([saved.code, saved.err]).toEqual([0, ""]);
    const live = JSON.parse((await gate(["0.8.0", "0.9.0", "--json"], { cwd })).out);
    const { code, out } = await gate(["@base.json", "0.9.0", "--json"], { cwd });
    const ruled = ({ checks }: { checks: GateCheck[] }) =>
      checks.map(({ id, ruling, a, b, difference, adjustedPValue }) => ({
        ...{ id, ruling, a, b, difference, adjustedPValue },
      }));
    const found = JSON.parse(out);
    expect([code, found.reasons, ruled(found)]).toEqual([10, live.reasons, ruled(live)]);
  });

  test.each([
    ["missing", null, "file not found"],
    ["not JSON", "{", "is not valid JSON"],
    ["an earlier version", '{"playtestBaseline":1}', "is a baseline of an earlier version"],
    ["without its game", BASELINE.replace('"game":"ember",', ""), "is not a valid baseline: game"],
    ["another JSON", '{"a":1}', "is not a baseline"],
  ])("is rejected: %s", async (_what, content, message) => {
    const cwd = freshFolder();
    if (content !== null) writeFileSync(join(cwd, "base.json"), content);
    const { code, err } = await gate(["@base.json", "0.9.0"], { cwd });
    expect([code, err]).toEqual([3, expect.stringContaining(message)]);
  });

  test("without @ is a usage error that shows the command", async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "base.json"), BASELINE);
    writeFileSync(join(cwd, "my base"), BASELINE);
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
    expect([other.code, other.err]).toEqual([11, expect.not.stringContaining("saved baseline")]);
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
        body: { items: [], hasMore: false, total: countSessions(status, looks < 5 ? unfinished : 0) },
      }),
      // The baseline.
      1: () => ({ body: responseBodies.getBuild }),
    };
    const looked = isThere ? comes(isThere, hasEarlier) : () => null;
    return script(({ url }): ScriptedReply => {
      const { pathname, searchParams } = new URL(url);
      const word = pathname.split("/").at(-1) ?? "";
      // While nobody has played b, the baseline is compared with itself.
      if (word === "compare" && searchParams.get("b") === "1") return { body: comparedWith(2) };
      return looked(word, searchParams) ?? replies[word]?.(searchParams.get("status")) ?? missing;
    });
  }

  /** The sessions of a status, or of all, of 20 of which none failed. */
  const countSessions = (status: string | null, unfinished: number) =>
    status === null ? 20 : status === "analyzed" ? 20 - unfinished : 0;

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

  /** The appearing build, behind something that answers the comparisons at some looks instead. */
  function behind(answer: (look: number) => ScriptedReply | Error | null) {
    const { transport } = appearingBuild();
    let looks = 0;
    return async (request: Parameters<typeof transport>[0]) => {
      if (!new URL(request.url).pathname.endsWith("/compare")) return await transport(request);
      looks += 1;
      const other = answer(looks);
      return other === null ? await transport(request) : await script(other).transport(request);
    };
  }
  const waitTenMinutes = ["gate", "1", "2", "--wait", "10m", "--fail-on", "carried_over"];

  test("goes on while the service restarts, and says so once", async () => {
    for (const outage of [new ClientError("network", "Cannot connect"), { status: 503 }, { status: 502 }]) {
      // A look tries 4 times.
      const transport = behind((look) => (look > 4 && look <= 12 ? outage : null));
      const run = await runCli(waitTenMinutes, { env, transport });
      expect([run.code, run.err.match(/no answer of the service/g)]).toEqual([0, [expect.any(String)]]);
    }
  });

  test("goes on while a proxy answers instead of the service, but not if it is the first to answer", async () => {
    const page: ScriptedReply = { status: 404, body: "<html>404 Not Found</html>" };
    const transport = behind((look) => (look > 1 && look <= 4 ? page : null));
    const run = await runCli(waitTenMinutes, { env, transport });
    expect([run.code, run.err]).toEqual([0, expect.stringContaining("no answer of the service (http")]);
    const only = await runCli(waitTenMinutes, { env, transport: script(page).transport });
    expect([only.code, only.waits]).toEqual([53, []]);
    expect(only.err).toContain("is not the address of a playtest service (HTTP 404)");
  });

  test("ends at once if the service refuses the request", async () => {
    for (const [status, code] of [
      [401, 41],
      [403, 43],
    ] as const) {
      const run = await runCli(waitTenMinutes, { env, transport: behind(() => ({ status })) });
      expect([run.code, run.waits]).toEqual([code, []]);
    }
  });

  test("counts waiting for a rate limit, and decides with the last answer", async () => {
    const busy = rateLimited(300_000);
    const transport = behind((look) => (look < 7 ? null : busy));
    const clock = { now: NOW };
    const run = await runCli(["gate", "1", "2", "--wait", "2m", "--min-testers", "30"], {
      ...{ env, transport, clock },
    });
    expect(clock.now - NOW).toBeLessThanOrEqual(120_000);
    expect([run.code, run.err]).toEqual([
      11,
      expect.stringContaining("no answer of the service (Rate limit exceeded); "),
    ]);
  });

  test("does not wait for a baseline that does not exist", async () => {
    const { transport } = appearingBuild();
    const run = await runCli(["gate", "0", "2", "--wait", "30m"], { env, transport });
    expect([run.code, run.waits]).toEqual([44, []]);
    expect(run.err).toContain("No build 0 in ember");
  });

  test("is inconclusive if the build never appears, or is never analyzed", async () => {
    const never = appearingBuild();
    const lost = await runCli(["gate", "1", "2", "--wait", "10s"], { env, transport: never.transport });
    expect([lost.code, lost.out]).toEqual([11, expect.stringContaining("2 has no sessions yet.")]);
    expect(lost.out).toContain("Stopped waiting after 10s");
    expect(lost.err).toContain("Check that the game sends 2 as gameVersion");
    const slow = appearingBuild();
    const argv = ["gate", "1", "2", "--wait", "45s", "--fail-on", "carried_over", "--json"];
    const run = await runCli(argv, { env, transport: slow.transport });
    const { reasons, notes } = JSON.parse(run.out);
    // The service of this test counts the sessions of a build without its version.
    expect([run.code, reasons]).toEqual([
      11,
      ["1", "2"].map((version) => `3 of 20 sessions of ${version} are not analyzed yet`),
    ]);
    expect(notes).toContain("Stopped waiting after 45s: 3 sessions not analyzed.");
    expect(run.err).toContain("Increase --wait, or");
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
    expect(read("gate.md")).toMatch(/^### GATE FAILED: [\s\S]*\n<!-- playtest-gate:ember:production -->\n$/);
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
