/** The verdict of the gate: failures, significance, exceptions and inconclusive results. */
import { describe, expect, test } from "vitest";
import type { GateConfig } from "../../src/gate/config.ts";
import { judge } from "../../src/gate/judge.ts";
import { formatPValue } from "../../src/gate/reasons.ts";
import { gateVerdict } from "../../src/gate/verdict.ts";
import {
  build,
  gateInput,
  inconclusiveVerdict,
  passedVerdict,
  pointsVerdict,
  richVerdict,
} from "./samples.ts";

const TAG = "difficulty-spike:furnace";
const TITLE = `Difficulty spike in furnace (${TAG})`;

/** The verdict for one tag in two builds, by the testers with the tag. */
function verdictOn(testersA: number, testersB: number, config: GateConfig = {}, total = 20) {
  const byTag = (testers: number) => (testers === 0 ? {} : { [TAG]: testers });
  return judge(
    gateInput(build("0.8.0", total, byTag(testersA)), build("0.9.0", total, byTag(testersB)), { config }),
  );
}
const statusOn = (testersA: number, testersB: number, config: GateConfig = {}) =>
  verdictOn(testersA, testersB, config).findings[0]?.status;

describe("a tag", () => {
  test("fails if its increase is above the limit and significant", () => {
    const verdict = verdictOn(0, 8);
    expect(verdict).toMatchObject({ verdict: "failed", method: "fisher", judged: 1 });
    expect(verdict.reasons).toEqual([
      `${TITLE} was introduced: +40.0 percentage points (limit: +10, corrected p = 0.0016)`,
    ]);
    expect(verdict.findings[0]).toMatchObject({
      tag: TAG,
      kind: "introduced",
      status: "failed",
      level: "error",
      expected: { maxIncreasePoints: 10, confidence: 0.95, minTesters: 5 },
      found: { deltaPct: 40, testersA: 0, testersB: 8 },
    });
  });

  test("does not fail if its increase is not significant", () => {
    expect(verdictOn(0, 4)).toMatchObject({
      verdict: "passed",
      reasons: [],
      findings: [{ status: "noise" }],
    });
    expect(statusOn(0, 4, { confidence: 0.9 })).toBe("failed");
  });

  test("does not fail if its increase is exactly the limit", () => {
    expect(verdictOn(100, 200, {}, 1000).findings[0]?.status).toBe("small");
    expect(verdictOn(100, 201, {}, 1000).findings[0]?.status).toBe("failed");
    // 0.4 - 0.3 is more than 0.1 in binary.
    expect(verdictOn(300, 400, {}, 1000).findings[0]?.status).toBe("small");
  });

  test("does not fail with thousands of testers if half of them had it before", () => {
    expect(verdictOn(1000, 1300, { maxIncreasePoints: 20 }, 2000).verdict).toBe("passed");
    expect(
      judge(gateInput(build("a", 2000, { x: 1000 }), build("b", 20, { x: 13 }))).findings[0]?.status,
    ).toBe("noise");
  });

  test("needs a smaller p-value the more tags are checked", () => {
    const others = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`confusion:${at}`, 9]));
    const alone = judge(gateInput(build("a", 20), build("b", 20, { [TAG]: 6 })));
    const a = build("a", 20, others);
    const b = build("b", 20, { ...others, [TAG]: 6 });
    const amongOthers = judge(gateInput(a, b, { config: { detectPoints: 100 } }));
    expect([alone.verdict, amongOthers.verdict]).toEqual(["failed", "passed"]);
    expect(amongOthers.judged).toBe(31);
  });

  test("does not affect the correction of other tags if its level is off", () => {
    const others = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`confusion:${at}`, 9]));
    const config = { tags: [{ tag: "confusion:*", level: "off" as const }] };
    const verdict = judge(
      gateInput(build("a", 20, others), build("b", 20, { ...others, [TAG]: 6 }), { config }),
    );
    expect(verdict).toMatchObject({ verdict: "failed", judged: 1 });
  });

  test("counts as checked if its share decreased", () => {
    expect(judge(gateInput(build("a", 20, { [TAG]: 8, x: 12 }), build("b", 20, { x: 4 })))).toMatchObject({
      verdict: "passed",
      judged: 2,
    });
    expect(judge(gateInput(build("a", 20, { x: 8 }), build("b", 20, { x: 8 })))).toMatchObject({
      verdict: "passed",
      judged: 1,
    });
  });

  test("only warns with level warn", () => {
    expect(verdictOn(0, 8, { kinds: { introduced: { level: "warn" } } })).toMatchObject({
      verdict: "passed",
      findings: [{ status: "warned" }],
    });
  });
});

describe("maxNew", () => {
  const grown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`x:${at}`, 12]));
  const withNew = (count: number, maxNew: number) =>
    judge(gateInput(build("a", 20), build("b", 20, grown(count)), { config: { maxNew } }));

  test("turns up to maxNew introduced tags into warnings, and fails all of them with one more", () => {
    expect(withNew(2, 2).findings.map(({ status }) => status)).toEqual(["warned", "warned"]);
    expect(withNew(2, 2).verdict).toBe("passed");
    expect(withNew(3, 2).findings.map(({ status }) => status)).toEqual(["failed", "failed", "failed"]);
    expect(withNew(3, 2).reasons).toHaveLength(3);
  });

  test("does not apply to tags that got larger", () => {
    expect(verdictOn(1, 12, { maxNew: 5 }).verdict).toBe("failed");
  });
});

describe("an exception", () => {
  const allow = (expires: string, tag = "difficulty-spike:*") => [{ tag, reason: "PT-1", expires }];
  /** The verdict at a time, for an introduced tag with an exception. */
  const judgeAt = (expires: string, now: string) =>
    judge(
      gateInput(build("a", 20, { x: 2 }), build("b", 20, { x: 2, [TAG]: 8 }), {
        config: { allow: allow(expires) },
        now: Date.parse(now),
      }),
    );

  test.each<[now: string, verdict: string, state: string]>([
    ["2026-03-01T00:00:00Z", "passed", "active"],
    ["2026-03-03T23:59:59.999Z", "passed", "active"],
    ["2026-03-04T00:00:00Z", "passed", "expiring"],
    ["2026-03-10T23:59:59.999Z", "passed", "expiring"],
    ["2026-03-11T00:00:00Z", "failed", "expired"],
  ])("until 2026-03-10 (UTC), at %s", (now, expected, state) => {
    const verdict = judgeAt("2026-03-10", now);
    expect([verdict.verdict, verdict.allow[0]?.state]).toEqual([expected, state]);
    expect(verdict.notes).toEqual(
      {
        active: [],
        expiring: ["The exception for difficulty-spike:* expires on 2026-03-10."],
        expired: ["The exception for difficulty-spike:* expired on 2026-03-10. The tag is checked again."],
      }[state],
    );
  });

  test("allows a tag, which then does not count as checked", () => {
    const verdict = judgeAt("2026-12-31", "2026-03-01T00:00:00Z");
    const finding = verdict.findings.find(({ tag }) => tag === TAG);
    expect(finding).toMatchObject({ status: "allowed", reason: "PT-1", found: { adjustedP: null } });
    expect(verdict).toMatchObject({ judged: 1, allow: [{ used: true }] });
  });

  test("counts as used only if it allowed an increase", () => {
    const config = { allow: allow("2026-12-31", "x") };
    const smaller = judge(gateInput(build("a", 20, { x: 9, y: 2 }), build("b", 20, { y: 2 }), { config }));
    expect(smaller.allow[0]?.used).toBe(false);
    const grown = judge(
      gateInput(build("a", 20, { x: 9, y: 2 }), build("b", 20, { x: 10, y: 2 }), { config }),
    );
    expect(grown.allow[0]?.used).toBe(false);
  });
});

describe("the verdict is inconclusive", () => {
  const big = { [TAG]: 18 };
  test.each<[what: string, input: ReturnType<typeof gateInput>, reason: string | RegExp]>([
    [
      "if b has no testers",
      gateInput(build("a", 20, big), build("b", 0)),
      "build b has no testers in production",
    ],
    [
      "if a has no testers",
      gateInput(build("a", 0), build("b", 20, big)),
      "build a has no testers in production",
    ],
    [
      "if b has too few testers",
      gateInput(build("a", 20), build("b", 4, { [TAG]: 4 })),
      "build b has 4 testers in production; at least 5 are required",
    ],
    [
      "if a has too few testers",
      gateInput(build("a", 4), build("b", 20, big)),
      "build a has 4 testers in production; at least 5 are required",
    ],
    [
      "if minTesters is higher",
      gateInput(build("a", 20), build("b", 30, big), { config: { minTesters: 21 } }),
      "build a has 20 testers in production; at least 21 are required",
    ],
    [
      "if neither build has friction",
      gateInput(build("a", 20), build("b", 20)),
      /^no tags to compare in production/,
    ],
    [
      "if every rule is off",
      gateInput(build("a", 20), build("b", 20, big), { config: { tags: [{ tag: "*", level: "off" }] } }),
      /^no tags to compare in production/,
    ],
    [
      "if every tag is allowed",
      gateInput(build("a", 20), build("b", 20, big), {
        config: { allow: [{ tag: "*", reason: "r", expires: "2027-01-01" }] },
      }),
      /^no tags to compare in production/,
    ],
    [
      "if the rule of the only tag requires more testers",
      gateInput(build("a", 20), build("b", 20, big), {
        config: { tags: [{ tag: "difficulty-*", minTesters: 30 }] },
      }),
      `${TITLE} was introduced: +90.0 percentage points, but its rule requires 30 testers per build (the builds have 20 and 20)`,
    ],
    [
      "if every rule requires more testers and no tag increased",
      gateInput(build("a", 20, big), build("b", 20, big), {
        config: { tags: [{ tag: "difficulty-*", level: "error", minTesters: 30 }] },
      }),
      "every tag needs more testers for its rule than these builds have",
    ],
    [
      "if no tag could be significant",
      gateInput(build("a", 2), build("b", 2, { [TAG]: 2 }), { config: { minTesters: 1 } }),
      "2 and 2 testers are not enough: even a tag that affects all testers of b and none of a would not be statistically significant",
    ],
    [
      "without the environment in the reason if all are combined",
      gateInput(build("a", 20), build("b", 0), { environment: "all" }),
      "build b has no testers",
    ],
  ])("%s", (_what, input, reason) => {
    const verdict = judge(input);
    expect(verdict.verdict).toBe("inconclusive");
    expect(verdict.reasons).toEqual([typeof reason === "string" ? reason : expect.stringMatching(reason)]);
  });

  test("without failures or warnings if there are too few testers", () => {
    const config: GateConfig = {
      tags: [{ tag: "difficulty-*", minTesters: 1 }],
      limits: { bugReportsPerSession: { max: 0 } },
    };
    const b = build("b", 4, { [TAG]: 4, "bug-report:save": 4 });
    const verdict = judge(gateInput(build("a", 20), b, { config }));
    expect(verdict.verdict).toBe("inconclusive");
    expect(verdict.findings.map(({ status }) => status)).toEqual(["unsure", "unsure"]);
    expect(verdict.limits).toMatchObject([{ status: "unknown", found: "0.50" }]);
  });

  test("if the value of a limit of level error is unknown", () => {
    const byTag = { [TAG]: 5 };
    const withLimit = (level: "warn" | "error") =>
      judge(
        gateInput(build("a", 20, byTag), build("b", 20, byTag), {
          config: { limits: { engagementRate: { min: 0.5, level } } },
        }),
      );
    expect(withLimit("error")).toMatchObject({
      verdict: "inconclusive",
      reasons: ["the value of engagementRate is unknown"],
    });
    expect(withLimit("warn").verdict).toBe("passed");
  });

  test("unless a limit is crossed, even if no tag was checked", () => {
    const b = { ...build("b", 20), stats: { engagementRate: 0.2, medianActiveSec: 60 } };
    const limited = (min: number) =>
      judge(gateInput(build("a", 20), b, { config: { limits: { engagementRate: { min } } } })).verdict;
    expect([limited(0.5), limited(0.1)]).toEqual(["failed", "inconclusive"]);
  });

  test("with a reason for each build with too few testers", () => {
    expect(judge(gateInput(build("a", 0), build("b", 3))).reasons).toHaveLength(2);
  });
});

describe("a tag that increased and has too few testers for its rule", () => {
  const others = { x: 2 };
  /** One tag increases to half of 20 testers. Another tag is checked and does not change. */
  const judgeIncrease = (config: GateConfig, testersA = 4) =>
    judge(
      gateInput(
        build("a", 20, testersA === 0 ? others : { ...others, [TAG]: testersA }),
        build("b", 20, { ...others, [TAG]: 10 }),
        { config },
      ),
    );
  const reason = `${TITLE} got larger: +30.0 percentage points, but its rule requires 30 testers per build (the builds have 20 and 20)`;

  test("makes a pass inconclusive and does not count as checked", () => {
    const verdict = judgeIncrease({ kinds: { got_larger: { level: "error", minTesters: 30 } } });
    expect(verdict).toMatchObject({ verdict: "inconclusive", reasons: [reason], judged: 1, notes: [] });
  });

  test("makes the gate inconclusive if nothing else is checked", () => {
    const config: GateConfig = {
      kinds: {
        introduced: { level: "off" },
        got_larger: { level: "error", minTesters: 30 },
        carried_over: { level: "off" },
      },
    };
    expect(judgeIncrease(config)).toMatchObject({ verdict: "inconclusive", reasons: [reason], judged: 0 });
  });

  test("is only noted if it would warn or another tag failed", () => {
    const warned = judgeIncrease({ tags: [{ tag: TAG, level: "warn", minTesters: 30 }] });
    expect(warned).toMatchObject({ verdict: "passed", reasons: [], notes: [`${reason}.`], judged: 1 });
    const config: GateConfig = { tags: [{ tag: TAG, minTesters: 30 }] };
    const [a, b] = [build("a", 20, { [TAG]: 4 }), build("b", 20, { [TAG]: 10, y: 12 })];
    const failed = judge(gateInput(a, b, { config }));
    expect(failed).toMatchObject({ verdict: "failed", notes: [`${reason}.`] });
    expect(failed.reasons).toEqual([expect.stringMatching(/^y was introduced/)]);
  });

  test("does not matter if the increase is within the limit, allowed or covered by maxNew", () => {
    const rule = { tag: TAG, minTesters: 30 };
    expect(judgeIncrease({ tags: [{ ...rule, maxIncreasePoints: 30 }] })).toMatchObject({
      verdict: "passed",
    });
    const allow = [{ tag: TAG, reason: "PT-1", expires: "2099-01-01" }];
    expect(judgeIncrease({ tags: [rule], allow })).toMatchObject({ verdict: "passed", notes: [] });
    expect(judgeIncrease({ tags: [rule], maxNew: 1 }, 0)).toMatchObject({ verdict: "passed" });
    expect(judgeIncrease({ tags: [rule], maxNew: 1 })).toMatchObject({ verdict: "inconclusive" });
    expect(judgeIncrease({ tags: [rule] }, 0)).toMatchObject({ verdict: "inconclusive" });
  });

  test("does not affect the correction of other tags", () => {
    const [a, b] = [build("a", 20, { [TAG]: 4 }), build("b", 20, { [TAG]: 10, y: 6 })];
    const adjustedP = (config: GateConfig) =>
      judge(gateInput(a, b, { config })).findings.find(({ tag }) => tag === "y")?.found.adjustedP;
    const off = adjustedP({ tags: [{ tag: TAG, level: "off" }] });
    expect(adjustedP({ tags: [{ tag: TAG, minTesters: 30 }] })).toBe(off);
    expect(adjustedP({})).not.toBe(off);
  });
});

describe("the general minTesters", () => {
  const [a, b] = [build("a", 20, { x: 2 }), build("b", 20, { x: 2, [TAG]: 12 })];
  test.each<[what: string, config: GateConfig]>([
    ["a kind", { kinds: { introduced: { level: "off", minTesters: 30 }, got_larger: { level: "error" } } }],
    ["every tag", { tags: [{ tag: "*", level: "warn", minTesters: 30 }] }],
    ["the confidence of a kind", { kinds: { introduced: { confidence: 0.9999 } } }],
  ])("is independent of %s", (_what, config) => {
    const [small, other] = [build("a", 6, { x: 2 }), build("b", 6, { x: 2, [TAG]: 1 })];
    const reasons = [judge(gateInput(a, b, { config })), judge(gateInput(small, other, { config }))].flatMap(
      (verdict) => verdict.reasons,
    );
    expect(reasons.filter((reason) => /30 are required|not enough: even/.test(reason))).toEqual([]);
  });
});

test("checks no tags if there are too few testers", () => {
  expect(inconclusiveVerdict().judged).toBe(0);
});

describe("without testers by tag", () => {
  test("only compares percentage points, and notes it", () => {
    const verdict = pointsVerdict();
    expect(verdict).toMatchObject({
      verdict: "failed",
      method: "points",
      judged: 1,
      findings: [{ status: "failed", found: { p: null, adjustedP: null } }],
      notes: [expect.stringContaining("does not report testers by tag")],
    });
    expect(verdict.reasons[0]).not.toContain("p =");
  });

  test("tests no tag if one count is missing", () => {
    const change = { tag: TAG, kind: "introduced", deltaPct: 12, testersA: 0, testersB: 3 };
    const changes = [change, { ...change, tag: "x", testersB: null }];
    expect(judge(gateInput(build("a", 20), build("b", 25), { changes }))).toMatchObject({
      method: "points",
      findings: [{ status: "failed" }, { status: "failed" }],
    });
  });

  test("never checks unknown kinds of change", () => {
    const change = { tag: TAG, kind: "a_later_kind", deltaPct: 60, testersA: 0, testersB: 12 };
    const verdict = judge(gateInput(build("a", 20), build("b", 20), { changes: [change] }));
    expect(verdict.findings[0]?.status).toBe("off");
    expect(verdict.verdict).not.toBe("failed");
  });
});

describe("the verdict as JSON", () => {
  test.each([
    ["rich", richVerdict()],
    ["passed", passedVerdict()],
    ["inconclusive", inconclusiveVerdict()],
    ["points", pointsVerdict()],
  ])("%s matches its schema", (_what, verdict) => {
    expect(gateVerdict.strict().parse(JSON.parse(JSON.stringify(verdict)))).toEqual(verdict);
  });

  test("covers every status in the rich sample", () => {
    const statuses = richVerdict().findings.map(({ status }) => status);
    expect([...new Set(statuses)].sort()).toEqual(
      ["allowed", "failed", "noise", "off", "unsure", "warned"].sort(),
    );
  });
});

test.each([
  [0, "< 0.0001"],
  [0.00009, "< 0.0001"],
  [0.0016380016, "0.0016"],
  [0.5, "0.5"],
  [1, "1"],
])("formats the p-value %d as %s", (p, text) => {
  expect(formatPValue(p)).toBe(text);
});
