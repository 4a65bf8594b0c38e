/** The verdict of the gate over the rows of a scorecard: rulings, rules, exceptions and inconclusive results. */
import { describe, expect, test } from "vitest";
import type { GateRules } from "../../src/gate/config.ts";
import type { GateInput } from "../../src/gate/gate-input.ts";
import { judge, toScorecardOptions } from "../../src/gate/judge.ts";
import { gateVerdict, rulings } from "../../src/gate/verdict.ts";
import { computeScorecard } from "../../src/scorecard/scorecard.ts";
import type { TitledRow } from "../../src/scorecard/titled-rows.ts";
import { group, session, tester, testers } from "../scorecard/facts.ts";
import {
  build,
  gateInput,
  inconclusiveVerdict,
  inNewRoom,
  passedVerdict,
  reported,
  richVerdict,
  row,
  UNTESTED,
  untestedVerdict,
  worse,
} from "./samples.ts";

const TAG = "difficulty-spike:furnace";
/** A row that is judged and does not fail. */
const calm = row("confusion:map", [5, 20], [5, 22]);

const judgeRows = (rows: readonly TitledRow[], config: GateRules = {}, changes: Partial<GateInput> = {}) =>
  judge(gateInput(rows, { config, ...changes }));
/** The ruling of one row beside a calm one, and the verdict. */
function ruleOn(one: TitledRow, config: GateRules = {}, changes: Partial<GateInput> = {}) {
  const { verdict, checks } = judgeRows([one, calm], config, changes);
  return [checks[0]?.ruling, verdict];
}

describe("a row", () => {
  test("fails if it is worse by more than the limit", () => {
    const verdict = judgeRows([worse(TAG, [0, 20], [8, 20]), calm]);
    expect(verdict).toMatchObject({
      verdict: "failed",
      reasons: [`${TAG}: 0/20 → 8/20, +40 pts, limit +10`],
      isTested: true,
      judged: 2,
    });
    expect(verdict.checks[0]).toMatchObject({ id: TAG, ruling: "failed", level: "error", limit: 0.1 });
  });

  test("passes if it is not worse, and is watched if it may be", () => {
    const of = (pValue: number) => row(TAG, [0, 20], [8, 20], { pValue, adjustedPValue: 0.4 });
    expect(ruleOn(of(0.04))).toEqual(["watch", "passed"]);
    expect(ruleOn(of(0.06))).toEqual(["passed", "passed"]);
    for (const status of ["better", "ruled out"] as const)
      expect(ruleOn(row(TAG, [8, 20], [0, 20], { status, pValue: 0.001 }))).toEqual(["passed", "passed"]);
  });

  test("passes if its increase is exactly the limit", () => {
    expect(ruleOn(worse(TAG, [100, 1000], [200, 1000]))).toEqual(["passed", "passed"]);
    expect(ruleOn(worse(TAG, [100, 1000], [201, 1000]))).toEqual(["failed", "failed"]);
    // 0.4 - 0.3 is more than 0.1 in binary.
    expect(ruleOn(worse(TAG, [300, 1000], [400, 1000]))).toEqual(["passed", "passed"]);
  });

  test("of a room that testers quit fails by default", () => {
    const verdict = judgeRows([worse("quit:level-01", [2, 22], [11, 23])]);
    expect([verdict.verdict, verdict.reasons]).toEqual([
      "failed",
      ["quit:level-01: 2/22 → 11/23, +39 pts, limit +10"],
    ]);
  });

  test("that is not comparable has its reason, and is not judged", () => {
    const gone = row(TAG, [8, 20], [0, 0], { status: "not comparable", reason: "room is gone" });
    const { checks, judged } = judgeRows([gone, calm]);
    expect([checks[0], judged]).toMatchObject([{ ruling: "not comparable", reason: "room is gone" }, 1]);
  });
});

describe("a row in a new room", () => {
  test("fails if it is worse, whatever increases the rules allow", () => {
    const vault = inNewRoom("quit:vault", [9, 12], { status: "worse" });
    const verdict = judgeRows([vault, calm], { maxIncreasePoints: 80, detectPoints: 90 });
    expect([verdict.verdict, verdict.reasons]).toEqual([
      "failed",
      ["quit:vault: 9/12 who entered, limit 40%"],
    ]);
    expect(verdict.checks[0]).toMatchObject({ isIntroduced: true, limit: 0.4 });
  });

  test("is watched if it is above its limit by chance, or too few entered the room", () => {
    expect(ruleOn(inNewRoom("quit:vault", [4, 6]))).toEqual(["watch", "passed"]);
    expect(ruleOn(inNewRoom("quit:vault", [2, 6]))).toEqual(["passed", "passed"]);
    const few = { status: "not comparable", reason: "room is new, and few entered it" } as const;
    expect(ruleOn(inNewRoom("quit:vault", [4, 4], few))).toEqual(["not comparable", "passed"]);
  });
});

describe("families", () => {
  const rating = (changes = {}) =>
    worse("rating:form/fun", [0, 20], [0, 22], {
      ...{ metric: "rating:form/fun", name: "rating", family: "ratings", worse: "less", unit: "points" },
      ...{ subject: "form/fun", difference: -1.8 },
      a: { total: 18, count: null, value: 4.4 },
      b: { total: 20, count: null, value: 2.6 },
      ...changes,
    });

  test("that do not decide are shown only", () => {
    expect(ruleOn(rating())).toEqual(["off", "passed"]);
    expect(judgeRows([rating()]).checks[0]).toMatchObject({ level: "off", status: "worse" });
    expect(ruleOn(worse(TAG, [0, 20], [8, 20]), { families: ["quits"] })[0]).toBe("off");
  });

  test("that the rules name decide, and their rows may have no limit", () => {
    const verdict = judgeRows([rating()], { families: ["ratings", "friction"] });
    expect(verdict).toMatchObject({
      verdict: "failed",
      reasons: ["rating:form/fun: 4.4 → 2.6"],
      checks: [{ level: "error", limit: null }],
    });
  });

  test("contain rows that never decide, such as completed rooms beside quits", () => {
    const completion = worse("quit:hall", [20, 20], [2, 22], {
      ...{ metric: "completion:hall", name: "completion", worse: "less", decides: false },
    });
    expect(ruleOn(completion)).toEqual(["off", "passed"]);
  });

  test("share the level of the scorecard with which the rows are computed", () => {
    const shown = toScorecardOptions({ confidence: 0.9, maxIncreasePoints: 15, newRooms: { max: 60 } });
    expect(shown).toMatchObject({
      level: 0.1,
      families: ["friction", "quits"],
      limits: { friction: 0.15, quit: 0.15 },
      newRooms: { max: 0.6, count: "new" },
    });
    expect(toScorecardOptions({ families: ["crash"], newRooms: { count: "all" } }, 0.01)).toMatchObject({
      level: 0.01,
      families: ["crash"],
      newRooms: { max: 0.4, count: "all" },
    });
  });
});

describe("--fail-on introduced", () => {
  const config: GateRules = { failOn: ["introduced"] };

  test("fails what was rare in a, also if a tester of a had it and the document says that it got larger", () => {
    const rare = worse(TAG, [1, 50], [21, 50], { kind: "got_larger" });
    expect(ruleOn(rare, config)).toEqual(["failed", "failed"]);
    expect(ruleOn(worse(TAG, [5, 50], [25, 50]), config)).toEqual(["failed", "failed"]);
    expect(ruleOn(worse(TAG, [6, 50], [26, 50]), config)[0]).toBe("off");
  });

  test.each([20, 50, 100])("finds an increase from 2 to 42 percent in %i testers of each build", (count) => {
    const play = (has: boolean) =>
      tester([session({ tags: has ? [{ tag: "confusion:menu", afterSec: 60 }] : [] })]);
    const of = (share: number) => group(testers(count, Math.round(count * share), play));
    const scorecard = computeScorecard(of(0.02), of(0.42), toScorecardOptions(config));
    const rows = scorecard.rows.filter(({ name }) => name === "friction");
    const titled = rows.map((one) => ({ ...one, id: "confusion:menu", title: "", kind: "got_larger" }));
    expect(ruleOn(titled[0] ?? calm, config)).toEqual(["failed", "failed"]);
  });

  test("includes quits and new rooms", () => {
    expect(ruleOn(worse("quit:hall", [1, 20], [9, 22]), config)).toEqual(["failed", "failed"]);
    expect(ruleOn(worse("quit:hall", [9, 20], [19, 22]), config)[0]).toBe("off");
    expect(ruleOn(inNewRoom("quit:vault", [9, 12], { status: "worse" }), config)[0]).toBe("failed");
  });

  test("leaves out what only got larger, which --fail-on got_larger lists", () => {
    const larger = worse(TAG, [6, 20], [19, 22]);
    const smaller = worse(TAG, [600, 1000], [670, 1000]);
    for (const [one, kind] of [
      [larger, "got_larger"],
      [smaller, "carried_over"],
    ] as const) {
      const only = (name: typeof kind | "introduced"): GateRules => ({
        failOn: [name],
        maxIncreasePoints: 5,
      });
      expect([ruleOn(one, only("introduced"))[0], ruleOn(one, only(kind))[0]]).toEqual(["off", "failed"]);
    }
  });
});

describe("a rule", () => {
  const larger = worse(TAG, [4, 20], [14, 22]);

  test("of level warn makes a failure a warning, and off ignores it", () => {
    expect(ruleOn(larger, { tags: [{ tag: "difficulty-*", level: "warn" }] })).toEqual(["warned", "passed"]);
    expect(ruleOn(larger, { kinds: { got_larger: { level: "warn" } } })).toEqual(["warned", "passed"]);
    expect(ruleOn(larger, { tags: [{ tag: TAG, level: "off" }] })).toEqual(["off", "passed"]);
  });

  test("can name a metric", () => {
    const quit = worse("quit:hall", [4, 20], [14, 22]);
    expect(ruleOn(quit, { tags: [{ tag: "quit:*", level: "warn" }] })).toEqual(["warned", "passed"]);
    expect(ruleOn(quit, { tags: [{ tag: "quit:*", maxIncreasePoints: 50 }] })).toEqual(["passed", "passed"]);
  });

  test("with a higher confidence needs a smaller p-value, also in repeated runs", () => {
    // Friction and quits share the level: 0.01 is 0.005 each.
    const of = (adjustedPValue: number) => worse(TAG, [4, 20], [14, 22], { adjustedPValue });
    const config: GateRules = { tags: [{ tag: TAG, confidence: 0.99 }] };
    expect(ruleOn(of(0.006), config)[0]).not.toBe("failed");
    expect(ruleOn(of(0.004), config)[0]).toBe("failed");
    expect(ruleOn(of(0.006))[0]).toBe("failed");
    expect(ruleOn(of(0.006), config, { level: 0.02 })[0]).not.toBe("failed");
    expect(ruleOn(of(0.006), {}, { level: 0.02 })[0]).toBe("failed");
  });

  describe("that requires more testers", () => {
    const config: GateRules = { tags: [{ tag: TAG, minTesters: 30 }] };

    test("makes the gate inconclusive if its row would fail", () => {
      const verdict = judgeRows([larger, calm], config);
      expect([verdict.checks[0]?.ruling, verdict.verdict, verdict.reasons]).toEqual([
        "unsure",
        "inconclusive",
        [`${TAG}: 4/20 → 14/22, +44 pts, limit +10, but its rule needs more testers`],
      ]);
      // It could not have failed.
      expect(verdict.judged).toBe(1);
    });

    test("does not matter if the row would only warn, is within its limit, or another row fails", () => {
      const warn = { tags: [{ tag: TAG, minTesters: 30, level: "warn" as const }] };
      expect(ruleOn(larger, warn)).toEqual(["unsure", "passed"]);
      const loose = { tags: [{ tag: TAG, minTesters: 30, maxIncreasePoints: 60 }] };
      expect(ruleOn(larger, loose)).toEqual(["passed", "passed"]);
      const failed = judgeRows([larger, worse("quit:hall", [2, 20], [14, 22])], config);
      expect([failed.verdict, failed.reasons.length]).toEqual(["failed", 1]);
    });
  });
});

test("a row of which less is worse fails without a limit", () => {
  const agreed = (status: TitledRow["status"]) =>
    worse("yes:form/again", [16, 20], [4, 22], {
      ...{
        metric: "yes:form/again",
        name: "yes",
        family: "ratings",
        subject: "form/again",
        worse: "less",
        status,
      },
    });
  const rule = (status: TitledRow["status"]) =>
    judgeRows([{ ...agreed(status), id: "yes:form/again" }], { families: ["ratings", "friction"] }).checks[0];
  expect(rule("worse")).toMatchObject({ ruling: "failed", limit: null });
  expect(rule("better")).toMatchObject({ ruling: "passed" });
});

describe("maxNew", () => {
  const introduced = (count: number) =>
    Array.from({ length: count }, (_, at) => worse(`bug-report:${at}`, [0, 20], [12, 22]));

  test("turns up to maxNew introduced rows into warnings, and fails all of them with one more", () => {
    const two = judgeRows(introduced(2), { maxNew: 2 });
    expect([two.verdict, ...two.checks.map(({ ruling }) => ruling)]).toEqual(["passed", "warned", "warned"]);
    const three = judgeRows(introduced(3), { maxNew: 2 });
    expect([three.verdict, three.reasons.length]).toEqual(["failed", 3]);
  });

  test("counts new rooms, and does not apply to what got larger", () => {
    const room = inNewRoom("quit:vault", [9, 12], { status: "worse" });
    expect(ruleOn(room, { maxNew: 1 })).toEqual(["warned", "passed"]);
    expect(ruleOn(worse(TAG, [4, 20], [14, 22]), { maxNew: 5 })).toEqual(["failed", "failed"]);
  });
});

describe("an exception", () => {
  const row8 = worse(TAG, [0, 20], [8, 22]);
  const allow = (tag: string, expires = "2026-12-31") => ({ allow: [{ tag, reason: "PT-1", expires }] });

  test.each<[now: string, verdict: string, state: string]>([
    ["2026-03-01T00:00:00Z", "passed", "active"],
    ["2026-03-03T23:59:59.999Z", "passed", "active"],
    ["2026-03-04T00:00:00Z", "passed", "expiring"],
    ["2026-03-10T23:59:59.999Z", "passed", "expiring"],
    ["2026-03-11T00:00:00Z", "failed", "expired"],
  ])("until 2026-03-10 (UTC), at %s", (now, expected, state) => {
    const verdict = judgeRows([row8, calm], allow("difficulty-spike:*", "2026-03-10"), {
      now: Date.parse(now),
    });
    expect([verdict.verdict, verdict.allow[0]?.state]).toEqual([expected, state]);
    const word = { active: null, expiring: "expires", expired: "expired" }[state];
    expect(verdict.notes).toEqual(
      word === null ? [] : [`The exception for difficulty-spike:* ${word} on 2026-03-10.`],
    );
  });

  test("allows a row, which then is not judged", () => {
    const { checks, judged, allow: used } = judgeRows([row8, calm], allow("difficulty-spike:*"));
    expect([checks[0], judged, used]).toMatchObject([
      { ruling: "allowed", reason: "PT-1" },
      1,
      [{ used: true }],
    ]);
    const quit = judgeRows([worse("quit:hall", [0, 20], [8, 22]), calm], allow("quit:hall"));
    expect([quit.verdict, quit.checks[0]?.ruling]).toEqual(["passed", "allowed"]);
  });

  test("counts as used only if it allowed an increase", () => {
    expect(judgeRows([row(TAG, [8, 20], [9, 22]), calm], allow(TAG)).allow[0]?.used).toBe(false);
  });
});

describe("the verdict is inconclusive", () => {
  const bad = worse(TAG, [0, 20], [18, 22]);
  test.each<[what: string, input: GateInput, reasons: (string | RegExp)[]]>([
    [
      "if b has no testers",
      gateInput([bad], { b: build("b", 0) }),
      ["b has 0 testers in production, 5 needed"],
    ],
    [
      "if both builds have too few testers",
      gateInput([bad], { a: build("a", 1), b: build("b", 4) }),
      ["a has 1 tester in production, 5 needed", "b has 4 testers in production, 5 needed"],
    ],
    [
      "if minTesters is higher",
      gateInput([bad], { config: { minTesters: 21 } }),
      ["0.8.0 has 20 testers in production, 21 needed"],
    ],
    [
      "without the environment in the reason if all are combined",
      gateInput([bad], { b: build("b", 0), environment: "all" }),
      ["b has 0 testers, 5 needed"],
    ],
    ["if there is no row", gateInput([]), [/^nothing to compare/]],
    [
      "if every rule is off",
      gateInput([bad], { config: { tags: [{ tag: "*", level: "off" }] } }),
      [/^nothing to compare/],
    ],
    [
      "if every row is allowed",
      gateInput([bad], { config: { allow: [{ tag: "*", reason: "r", expires: "2027-01-01" }] } }),
      [/^nothing to compare/],
    ],
    [
      "if different versions of the rules analyzed the builds",
      gateInput([row(TAG, [0, 20], [9, 22], { status: "not comparable", reason: "different analyses" })]),
      [/^the sessions of 0\.8\.0 and 0\.9\.0 were analyzed with different versions of the rules/],
    ],
    [
      "if a new problem would probably be missed",
      gateInput([calm], { config: { detectPoints: 15 } }),
      [
        /^20 and 22 testers notice a new problem that affects 15% only with a probability of \d+%: \d+ testers of each build are enough$/,
      ],
    ],
  ])("%s", (_what, input, reasons) => {
    const verdict = judge(input);
    expect(verdict.verdict).toBe("inconclusive");
    expect(verdict.reasons).toEqual(
      reasons.map((reason) => (typeof reason === "string" ? reason : expect.stringMatching(reason))),
    );
  });

  test("without failures or warnings if there are too few testers", () => {
    const config: GateRules = {
      tags: [{ tag: "difficulty-*", minTesters: 1 }],
      limits: { engagementRate: { min: 0.9 } },
    };
    const b = build("b", 4, { stats: { engagementRate: 0.2, medianActiveSec: 60 } });
    const verdict = judgeRows([bad], config, { b });
    expect(verdict).toMatchObject({ verdict: "inconclusive", judged: 0, detection: null });
    expect(verdict.checks.map(({ ruling }) => ruling)).toEqual(["unsure"]);
    expect(verdict.limits).toMatchObject([{ status: "unknown", found: "20.0%", reason: "too few testers" }]);
  });

  test("if the value of a limit of level error is unknown", () => {
    const limited = (level: "warn" | "error") =>
      judgeRows([calm], { limits: { engagementRate: { min: 0.5, level } } });
    expect(limited("error")).toMatchObject({
      verdict: "inconclusive",
      reasons: ["the value of engagementRate is unknown"],
    });
    expect(limited("warn").verdict).toBe("passed");
  });

  test("unless a limit is crossed, even if no row is judged", () => {
    const b = build("b", 20, { stats: { engagementRate: 0.2, medianActiveSec: 60 } });
    const limited = (min: number) => judgeRows([], { limits: { engagementRate: { min } } }, { b }).verdict;
    expect([limited(0.5), limited(0.1)]).toEqual(["failed", "inconclusive"]);
  });
});

describe("sessions that are not analyzed", () => {
  const partly = (analyzed: number) => ({ b: build("0.9.0", 22, { ended: 40, analyzed }) });

  test("make a pass inconclusive if they are more than a tenth of a build", () => {
    expect(judgeRows([calm], {}, partly(36)).verdict).toBe("passed");
    expect(judgeRows([calm], {}, partly(35))).toMatchObject({
      verdict: "inconclusive",
      reasons: ["5 of 40 sessions of 0.9.0 are not analyzed yet"],
    });
    const a = { a: build("0.8.0", 20, { ended: 24, analyzed: 0 }) };
    expect(judgeRows([calm], {}, a).reasons).toEqual(["24 of 24 sessions of 0.8.0 are not analyzed yet"]);
  });

  test("do not matter if the gate fails", () => {
    expect(judgeRows([worse(TAG, [0, 20], [8, 22])], {}, partly(10))).toMatchObject({
      verdict: "failed",
      reasons: [`${TAG}: 0/20 → 8/22, +36 pts, limit +10`],
    });
  });

  test("may be more if minAnalyzed says so, or the service does not report them", () => {
    expect(judgeRows([calm], { minAnalyzed: 50 }, partly(20)).verdict).toBe("passed");
    expect(judgeRows([calm], { minAnalyzed: 51 }, partly(20)).verdict).toBe("inconclusive");
    const unknown = { b: build("0.9.0", 22, { ended: null, analyzed: null }) };
    expect(judgeRows([calm], {}, unknown).verdict).toBe("passed");
  });
});

describe("what could be noticed", () => {
  test("is at least one tester more than the limit, and its probability decides", () => {
    const { detection } = judgeRows([calm]);
    expect(detection).toMatchObject({ detectPoints: 40, sufficient: true, enoughTesters: null });
    expect(detection?.testersB).toBeGreaterThan(2);
    expect(detection?.power).toBeGreaterThanOrEqual(0.7);
    // 60 % of 22 testers are 13.2.
    expect(judgeRows([calm], { maxIncreasePoints: 60, detectPoints: 90 }).detection?.testersB).toBe(14);
  });

  test("is unknown if new problems do not fail the gate", () => {
    for (const config of [
      { kinds: { introduced: { level: "warn" } } },
      { families: ["quits"] },
      { maxIncreasePoints: 50 },
    ] satisfies GateRules[])
      expect(judgeRows([row("quit:hall", [2, 20], [3, 22])], config).detection).toBeNull();
  });

  test("is not planned in repeated runs, whose next test is due with a planned number of testers", () => {
    const { reasons } = judgeRows([calm], { detectPoints: 15 }, { level: 0.001 });
    expect(reasons).toEqual([expect.stringMatching(/ only with a probability of \d+%$/)]);
  });
});

describe("a service that does not report what each tester did", () => {
  const only = (one: TitledRow, config: GateRules = {}) => judge(gateInput([one], { ...UNTESTED, config }));

  test("fails by increases above the limit, which are not tested", () => {
    expect(untestedVerdict()).toMatchObject({
      verdict: "failed",
      reasons: [`${TAG}: +50 pts, limit +10`],
      isTested: false,
      judged: 1,
      detection: null,
      checks: [{ ruling: "failed", adjustedPValue: null }],
      notes: [expect.stringContaining("does not report what each tester did")],
    });
    expect(only(reported(TAG, "introduced", 10)).verdict).toBe("passed");
  });

  test("has kinds of change that choose the rules, and unknown ones are never judged", () => {
    const ruling = (kind: string, config: GateRules = {}) =>
      only(reported(TAG, kind, 60), config).checks[0]?.ruling;
    expect(ruling("got_larger", { failOn: ["introduced"] })).toBe("off");
    expect(ruling("introduced", { failOn: ["introduced"] })).toBe("failed");
    expect(ruling("introduced", { maxNew: 1 })).toBe("warned");
    expect(ruling("a_later_kind")).toBe("off");
    expect(only(reported(TAG, "resolved", -60)).verdict).toBe("inconclusive");
  });
});

describe("the verdict as JSON", () => {
  test.each([
    ["rich", richVerdict()],
    ["passed", passedVerdict()],
    ["inconclusive", inconclusiveVerdict()],
    ["untested", untestedVerdict()],
  ])("%s matches its schema", (_what, verdict) => {
    expect(gateVerdict.strict().parse(JSON.parse(JSON.stringify(verdict)))).toEqual(verdict);
  });

  test("covers every ruling in the rich sample", () => {
    const found = new Set(richVerdict().checks.map(({ ruling }) => ruling));
    expect([...found].sort()).toEqual([...rulings].sort());
  });
});

describe("scripted runs", () => {
  const finding = (status: "passed" | "failed" | "warned") => ({
    ...{ name: "run:exit", status, reason: null, interval: null },
    ...{ expected: "exit code 0 in 2 of 2 runs", found: "1 of 2" },
  });
  const judgeRuns = (status: "passed" | "failed" | "warned", changes: Partial<GateInput> = {}) =>
    judge(gateInput([calm], { scripted: { findings: [finding(status)], hasBaseline: true }, ...changes }));

  test("fail with any number of runs", () => {
    const verdict = judgeRuns("failed", { b: build("0.9.0", 1) });
    expect([verdict.verdict, verdict.reasons]).toEqual([
      "failed",
      ["run:exit is 1 of 2 (limit: exit code 0 in 2 of 2 runs)"],
    ]);
    expect(judgeRuns("warned", { b: build("0.9.0", 1) }).verdict).toBe("inconclusive");
  });

  test("need no testers who notice a new problem, and no baseline", () => {
    const few = { a: build("0.8.0", 5), b: build("0.9.0", 5) };
    expect(judgeRuns("passed", few)).toMatchObject({ verdict: "passed", detection: null });
    const scripted = { findings: [finding("passed")], hasBaseline: false };
    const alone = { ...few, a: build("no baseline", 0) };
    expect(judge(gateInput([], { ...alone, scripted })).verdict).toBe("passed");
    expect(judge(gateInput([], { ...few, scripted: { ...scripted, hasBaseline: true } })).verdict).toBe(
      "inconclusive",
    );
  });
});
