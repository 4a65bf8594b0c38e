/** gate over real play: quits, new rooms, sessions that are not analyzed, and saved baselines with and without pairs. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gateVerdict } from "../../src/gate/verdict.ts";
import { type CliOptions, freshFolder, NOW, runCli, startTestService, type TestService } from "../harness.ts";
import { changeSession, sendTelemetry } from "../server/telemetry-helpers.ts";

let service: TestService;
let sent = 0;

const QUIT = ["begin hall", "look hall", "look hall"];
const COMPLETE = ["begin hall", "death hall", "level_completed hall"];

/** Sends a session for each list of steps, such as `begin hall`. Testers differ between builds unless they have a name. */
async function play(build: string, sessions: readonly (readonly string[])[], name = `in-${build}`) {
  const ids = [];
  for (const [at, steps] of sessions.entries()) {
    sent += 1;
    const startedAt = NOW - 86_400_000 + sent * 1000;
    const id = await sendTelemetry(service, {
      ...{ gameId: "maze", clientSessionId: `s${sent}`, deviceId: `dev-${name}-${at}` },
      ...{ startedAt, sessionEnded: true, sessionMetadata: { gameVersion: build } },
      // Sessions of equal lengths would be timed ones.
      events: steps.map((step, n) => {
        const [word = "", room] = step.split(" ");
        return { id: `e${n}`, name: word, timestamp: startedAt + n * (10 + at) * 1000, data: { room } };
      }),
    });
    ids.push(id);
  }
  return ids;
}

/** Sessions of testers of whom the first ones quit. */
const hall = (quits: number, testers = 20) =>
  Array.from({ length: testers }, (_, at) => (at < quits ? QUIT : COMPLETE));

async function gate(argv: readonly string[], options: CliOptions = {}) {
  const env = { PLAYTEST_GAME: "maze" };
  return await runCli(["gate", ...argv], { service, env, columns: 80, ...options });
}

async function judge(argv: readonly string[], config: object = {}, options: CliOptions = {}) {
  const cwd = options.cwd ?? freshFolder();
  writeFileSync(join(cwd, "playtest.config.json"), JSON.stringify({ gate: config }));
  const { code, out } = await gate([...argv, "--json"], { ...options, cwd });
  const verdict = gateVerdict.parse(JSON.parse(out));
  const find = (id: string) => verdict.checks.find((check) => check.id === id);
  return { code, verdict, find };
}

beforeAll(async () => {
  service = await startTestService({ clock: { now: NOW } });
  await service.addGame("maze");
  await play("1", hall(2));
  await play("2", hall(11));
  await play("3", hall(2));
  await play("4", hall(10), "in-1");
  const vault = (end: string) => [...COMPLETE, "begin vault", "death vault", end];
  const reached = (count: number) => hall(0).map((steps, at) => (at < count ? vault("death vault") : steps));
  await play("wall", reached(9));
  await play("few", reached(3));
  const [quiet, bad] = [await play("quiet", hall(2)), await play("bad", hall(14))];
  await service.analysis.drain();
  for (const id of [...quiet.slice(-3), ...bad.slice(-3)])
    await changeSession(service, id, { status: "pending", analysis_due: NOW + 86_400_000 });
});

afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

describe("quitting", () => {
  test("fails the gate without any rules, and leads the report", async () => {
    const { code, out, err } = await gate(["1", "2"]);
    expect(code).toBe(10);
    expect(`\n${out}\n${err}`).toMatchInlineSnapshot(`
      "
      ✗ GATE FAILED: 2 vs 1, 1 of 1 check failed
        maze · production · 20 → 20 testers

        quit:hall  2/20 → 11/20, +45 pts, limit +10
            playtest sessions get sess_000000000000000000000020

        This run can catch a new problem that hits 5 or more of 20 testers.

      hint: Fix it, or \`playtest gate allow quit:hall --until 2026-03-29 --reason "..."\`.
      GATE FAILED: 2 vs 1, 1 of 1 check failed: quit:hall
      "
    `);
  });

  test("is ruled by --fail-on, tags and families like friction", async () => {
    const ruling = async (argv: string[], config = {}) =>
      (await judge(["1", "2", ...argv], config)).find("quit:hall")?.ruling;
    expect(await ruling(["--fail-on", "introduced"])).toBe("failed");
    expect(await ruling(["--fail-on", "carried_over"])).toBe("off");
    expect(await ruling([], { tags: [{ tag: "quit:*", level: "warn" }] })).toBe("warned");
    expect(await ruling([], { families: ["friction"] })).toBe("off");
    expect(await ruling(["--max-increase", "50"])).toBe("passed");
  });

  test("that is not more passes, and completed rooms are shown only", async () => {
    const { code, find } = await judge(["1", "3"]);
    expect([code, find("quit:hall"), find("completion:hall")]).toMatchObject([
      0,
      { ruling: "passed", a: { count: 2, total: 20 }, b: { count: 2, total: 20 } },
      { ruling: "off", a: { count: 18 } },
    ]);
  });
});

describe("a new room", () => {
  test("fails by those who entered it", async () => {
    const { code, verdict, find } = await judge(["1", "wall"]);
    expect([code, verdict.reasons.toSorted()]).toEqual([
      10,
      ["negative-moment:vault: 9/9 new testers, limit 40%", "quit:vault: 9/9 new testers, limit 40%"],
    ]);
    expect(find("quit:vault")).toMatchObject({ isNewRoom: true, isIntroduced: true, a: { total: 0 } });
    const loose = await judge(["1", "wall"], { newRooms: { max: 90 } });
    expect([loose.code, loose.find("quit:vault")?.ruling]).toEqual([0, "watch"]);
  });

  test("that few entered is named by a pass", async () => {
    const { code, out } = await gate(["1", "few"]);
    expect([code, out]).toEqual([0, expect.stringMatching(/Watch \(may be chance\): .*quit:vault 3\/3/)]);
  });
});

describe("sessions that are not analyzed", () => {
  test("make a pass inconclusive if they are more than a tenth", async () => {
    const { code, err } = await gate(["1", "quiet"]);
    expect([code, err]).toEqual([
      11,
      expect.stringContaining("3 of 20 sessions of quiet are not analyzed yet"),
    ]);
    expect(err).toContain("hint: Use --wait");
    expect((await judge(["1", "quiet"], { minAnalyzed: 85 })).code).toBe(0);
  });

  test("do not hide a failure, and are not counted as testers who did not quit", async () => {
    const { code, find } = await judge(["1", "bad"]);
    expect([code, find("quit:hall")?.b]).toMatchObject([10, { count: 14, total: 17 }]);
  });

  test("are waited for, and the gate says that they did not come", async () => {
    const { code, err, waits, out } = await gate(["1", "quiet", "--wait", "20s", "--json"]);
    expect([code, waits]).toEqual([11, [15_000, 5000]]);
    expect(err).toContain("Waiting for quiet: 20 testers (5 required), 3 sessions not analyzed yet");
    expect(err).toContain("Increase --wait");
    expect(JSON.parse(out).notes).toContain("Stopped waiting after 20s: 3 sessions not analyzed.");
  });
});

describe("a saved baseline", () => {
  const read = (cwd: string) => JSON.parse(readFileSync(join(cwd, "base.json"), "utf8"));

  test("judges as the build itself, with the same testers compared with themselves", async () => {
    const cwd = freshFolder();
    expect((await gate(["save", "1", "--out", "base.json"], { cwd })).code).toBe(0);
    for (const b of ["2", "3", "4"]) {
      const [live, saved] = [await judge(["1", b]), await judge(["@base.json", b], {}, { cwd })];
      // The service did not compare b with the saved build, so it selects no sessions either.
      const checks = live.verdict.checks.map((check) => ({ ...check, kind: null, evidence: [] }));
      expect([saved.code, saved.verdict]).toEqual([live.code, { ...live.verdict, checks }]);
    }
  });

  test("has what each tester did, without devices and sessions", async () => {
    const cwd = freshFolder();
    await gate(["save", "1", "--out", "base.json"], { cwd });
    const file = read(cwd);
    expect(file).toMatchObject({
      ...{ playtestBaseline: 3, game: "maze", environment: "production", version: "1", testers: 20 },
      sessions: { analyzed: 20, unanalyzed: 0 },
    });
    expect(new Set(file.facts.map(({ tester }: { tester: string }) => tester)).size).toBe(20);
    expect(JSON.stringify(file)).not.toMatch(/dev-|sess_/);
  });

  test("without pairs names no testers, so nobody is compared with themselves", async () => {
    const cwd = freshFolder();
    await gate(["save", "1", "--no-pairs", "--out", "base.json"], { cwd });
    const { facts } = read(cwd);
    expect(facts).toHaveLength(20);
    for (const { tester, isReturning } of facts) expect([tester, isReturning]).toEqual([null, null]);
    const [paired, alone] = [await judge(["1", "4"]), await judge(["@base.json", "4"], {}, { cwd })];
    const [one, other] = [paired.find("quit:hall"), alone.find("quit:hall")];
    expect([other?.a, other?.b]).toEqual([one?.a, one?.b]);
    // Eight testers more quit, and nobody less: the test of pairs knows that they are the same ones.
    expect(one?.pValue).toBeCloseTo(0.5 ** 8, 6);
    expect(other?.pValue).toBeGreaterThan(0.5 ** 8);
  });

  test("works after the build is gone", async () => {
    const cwd = freshFolder();
    await gate(["save", "1", "--out", "base.json"], { cwd });
    writeFileSync(join(cwd, "base.json"), JSON.stringify({ ...read(cwd), version: "0.gone" }));
    const { code, verdict } = await judge(["@base.json", "2"], {}, { cwd });
    expect([code, verdict.a]).toMatchObject([10, { version: "0.gone", testers: 20, analyzed: 20 }]);
  });
});
