/** The verdict of a gate: what counts, what may be chance, what is allowed, and when nothing can be said. */
import { describe, expect, test } from "vitest";
import type { GateConfig } from "../../src/gate/config.ts";
import { judge } from "../../src/gate/judge.ts";
import { formatPValue } from "../../src/gate/reasons.ts";
import { gateVerdict } from "../../src/gate/verdict.ts";
import { caseOf, inconclusiveVerdict, passedVerdict, pointsVerdict, richVerdict, side } from "./samples.ts";

const TAG = "difficulty-spike:furnace";

/** The verdict on one tag of two builds of 20. */
function verdictOn(metA: number, metB: number, config: GateConfig = {}, of = 20) {
  const counted = (met: number) => (met === 0 ? {} : { [TAG]: met });
  return judge(caseOf(side("0.8.0", of, counted(metA)), side("0.9.0", of, counted(metB)), { config }));
}
const statusOn = (metA: number, metB: number, config: GateConfig = {}) =>
  verdictOn(metA, metB, config).findings[0]?.status;

describe("what counts", () => {
  test("a growth that is material and hardly chance fails, with what was expected and found", () => {
    const verdict = verdictOn(0, 8);
    expect(verdict).toMatchObject({ verdict: "failed", method: "fisher", judged: 1 });
    expect(verdict.reasons).toEqual([
      `${TAG} was introduced: +40.0 points, at most 10 expected, p = 0.0016 after correction`,
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

  test("what may be chance does not", () => {
    expect(verdictOn(0, 4)).toMatchObject({
      verdict: "passed",
      reasons: [],
      findings: [{ status: "noise" }],
    });
    expect(statusOn(0, 4, { confidence: 0.9 })).toBe("failed");
  });

  test("nor what is not material: a growth of exactly the points allowed", () => {
    expect(verdictOn(100, 200, {}, 1000).findings[0]?.status).toBe("small");
    expect(verdictOn(100, 201, {}, 1000).findings[0]?.status).toBe("failed");
    // 0.4 - 0.3 is more than 0.1 in binary.
    expect(verdictOn(300, 400, {}, 1000).findings[0]?.status).toBe("small");
  });

  test("thousands of testers, half of whom met it as before, fail nothing", () => {
    expect(verdictOn(1000, 1300, { maxIncreasePoints: 20 }, 2000).verdict).toBe("passed");
    expect(judge(caseOf(side("a", 2000, { x: 1000 }), side("b", 20, { x: 13 }))).findings[0]?.status).toBe(
      "noise",
    );
  });

  test("the more tags are judged, the surer each must be", () => {
    const others = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`confusion:${at}`, 9]));
    const lone = judge(caseOf(side("a", 20), side("b", 20, { [TAG]: 6 })));
    const a = side("a", 20, others);
    const among = judge(caseOf(a, side("b", 20, { ...others, [TAG]: 6 })));
    expect([lone.verdict, among.verdict]).toEqual(["failed", "passed"]);
    expect(among.judged).toBe(31);
  });

  test("those that are off are not judged and cost the others nothing", () => {
    const others = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`confusion:${at}`, 9]));
    const config = { tags: [{ tag: "confusion:*", level: "off" as const }] };
    const verdict = judge(caseOf(side("a", 20, others), side("b", 20, { ...others, [TAG]: 6 }), { config }));
    expect(verdict).toMatchObject({ verdict: "failed", judged: 1 });
  });

  test("a build in which every tag shrank passes: they were judged and have not grown", () => {
    expect(judge(caseOf(side("a", 20, { [TAG]: 8, x: 12 }), side("b", 20, { x: 4 })))).toMatchObject({
      verdict: "passed",
      judged: 2,
    });
    expect(judge(caseOf(side("a", 20, { x: 8 }), side("b", 20, { x: 8 })))).toMatchObject({
      verdict: "passed",
      judged: 1,
    });
  });

  test("a warning does not fail", () => {
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
    judge(caseOf(side("a", 20), side("b", 20, grown(count)), { config: { maxNew } }));

  test("up to so many are warnings; one more, and all of them fail", () => {
    expect(withNew(2, 2).findings.map(({ status }) => status)).toEqual(["warned", "warned"]);
    expect(withNew(2, 2).verdict).toBe("passed");
    expect(withNew(3, 2).findings.map(({ status }) => status)).toEqual(["failed", "failed", "failed"]);
    expect(withNew(3, 2).reasons).toHaveLength(3);
  });

  test("counts introduced tags alone", () => {
    expect(verdictOn(1, 12, { maxNew: 5 }).verdict).toBe("failed");
  });
});

describe("the allow-list", () => {
  const allow = (expires: string, tag = "difficulty-spike:*") => [{ tag, reason: "PT-1", expires }];
  /** What becomes of an introduced tag that an entry means, at a time. */
  const at = (expires: string, now: string) =>
    judge(
      caseOf(side("a", 20, { x: 2 }), side("b", 20, { x: 2, [TAG]: 8 }), {
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
  ])("an entry to the end of 2026-03-10, UTC, at %s", (now, verdict, state) => {
    const found = at("2026-03-10", now);
    expect([found.verdict, found.allow[0]?.state]).toEqual([verdict, state]);
    expect(found.notes).toEqual(
      {
        active: [],
        expiring: ["The allowance of difficulty-spike:* expires on 2026-03-10."],
        expired: ["The allowance of difficulty-spike:* expired on 2026-03-10: it counts again."],
      }[state],
    );
  });

  test("lets a tag pass with its reason, and takes it from those judged", () => {
    const found = at("2026-12-31", "2026-03-01T00:00:00Z");
    const finding = found.findings.find(({ tag }) => tag === TAG);
    expect(finding).toMatchObject({ status: "allowed", reason: "PT-1", found: { adjustedP: null } });
    expect(found).toMatchObject({ judged: 1, allow: [{ used: true }] });
  });

  test("an entry is used where it let a tag pass, not where the tag has not grown", () => {
    const config = { allow: allow("2026-12-31", "x") };
    const found = judge(caseOf(side("a", 20, { x: 9, y: 2 }), side("b", 20, { y: 2 }), { config }));
    expect(found.allow[0]?.used).toBe(false);
    const grown = judge(caseOf(side("a", 20, { x: 9, y: 2 }), side("b", 20, { x: 10, y: 2 }), { config }));
    expect(grown.allow[0]?.used).toBe(false);
  });
});

describe("nothing can be concluded, and nothing passes", () => {
  const big = { [TAG]: 18 };
  test.each<[what: string, given: ReturnType<typeof caseOf>, reason: string | RegExp]>([
    ["b has no testers", caseOf(side("a", 20, big), side("b", 0)), "build b has no testers in production"],
    ["a has none", caseOf(side("a", 0), side("b", 20, big)), "build a has no testers in production"],
    ["b has too few", caseOf(side("a", 20), side("b", 4, { [TAG]: 4 })), /^build b has 4 of the 5 testers/],
    ["a has too few", caseOf(side("a", 4), side("b", 20, big)), /^build a has 4 of the 5 testers/],
    [
      "more are asked for",
      caseOf(side("a", 20), side("b", 30, big), { config: { minTesters: 21 } }),
      /^build a has 20 of the 21 testers/,
    ],
    ["nothing was found in either", caseOf(side("a", 20), side("b", 20)), /^no tag could be judged/],
    [
      "every rule is off",
      caseOf(side("a", 20), side("b", 20, big), { config: { tags: [{ tag: "*", level: "off" }] } }),
      /^no tag could be judged/,
    ],
    [
      "every tag is allowed",
      caseOf(side("a", 20), side("b", 20, big), {
        config: { allow: [{ tag: "*", reason: "r", expires: "2027-01-01" }] },
      }),
      /^no tag could be judged/,
    ],
    [
      "every tag's rule takes more",
      caseOf(side("a", 20), side("b", 20, big), {
        config: { tags: [{ tag: "difficulty-*", minTesters: 30 }] },
      }),
      `${TAG} was introduced: +90.0 points, but its rule takes 30 testers a build, not 20 and 20`,
    ],
    [
      "every tag's rule takes more, and none has grown",
      caseOf(side("a", 20, big), side("b", 20, big), {
        config: { tags: [{ tag: "difficulty-*", level: "error", minTesters: 30 }] },
      }),
      "no tag has the testers that its rule takes",
    ],
    [
      "so few that nothing could be sure",
      caseOf(side("a", 2), side("b", 2, { [TAG]: 2 }), { config: { minTesters: 1 } }),
      "2 and 2 testers are too few: even a tag that every one of them met could be chance",
    ],
    [
      "in every environment",
      caseOf(side("a", 20), side("b", 0), { environment: "all" }),
      "build b has no testers",
    ],
  ])("%s", (_what, given, reason) => {
    const verdict = judge(given);
    expect(verdict.verdict).toBe("inconclusive");
    expect(verdict.reasons).toEqual([typeof reason === "string" ? reason : expect.stringMatching(reason)]);
  });

  test("where testers are too few nothing is told as failed or warned either", () => {
    const config: GateConfig = {
      tags: [{ tag: "difficulty-*", minTesters: 1 }],
      limits: { bugReportsPerSession: { max: 0 } },
    };
    const b = side("b", 4, { [TAG]: 4, "bug-report:save": 4 });
    const verdict = judge(caseOf(side("a", 20), b, { config }));
    expect(verdict.verdict).toBe("inconclusive");
    expect(verdict.findings.map(({ status }) => status)).toEqual(["unsure", "unsure"]);
    expect(verdict.limits).toMatchObject([{ status: "unknown", found: "0.50" }]);
  });

  test("a limit that would fail the gate and is not known lets nothing pass; one that only warns does", () => {
    const met = { [TAG]: 5 };
    const known = (level: "warn" | "error") =>
      judge(
        caseOf(side("a", 20, met), side("b", 20, met), {
          config: { limits: { engagementRate: { min: 0.5, level } } },
        }),
      );
    expect(known("error")).toMatchObject({
      verdict: "inconclusive",
      reasons: ["engagementRate is not known"],
    });
    expect(known("warn").verdict).toBe("passed");
  });

  test("a limit that testers enough have crossed fails, though no tag could be judged", () => {
    const b = { ...side("b", 20), stats: { engagementRate: 0.2, medianActiveSec: 60 } };
    const limited = (min: number) =>
      judge(caseOf(side("a", 20), b, { config: { limits: { engagementRate: { min } } } })).verdict;
    expect([limited(0.5), limited(0.1)]).toEqual(["failed", "inconclusive"]);
  });

  test("both builds are named", () => {
    expect(judge(caseOf(side("a", 0), side("b", 3))).reasons).toHaveLength(2);
  });
});

describe("a tag that has grown, and whose own rule takes more testers", () => {
  const others = { x: 2 };
  /** One tag grown from some to half of 20 testers, beside one that is judged and has not. */
  const grown = (config: GateConfig, metA = 4) =>
    judge(
      caseOf(
        side("a", 20, metA === 0 ? others : { ...others, [TAG]: metA }),
        side("b", 20, { ...others, [TAG]: 10 }),
        { config },
      ),
    );
  const told = `${TAG} was made worse: +30.0 points, but its rule takes 30 testers a build, not 20 and 20`;

  test("lets nothing pass, the tag and its testers named, and is not counted as judged", () => {
    const verdict = grown({ kinds: { got_larger: { level: "error", minTesters: 30 } } });
    expect(verdict).toMatchObject({ verdict: "inconclusive", reasons: [told], judged: 1, notes: [] });
  });

  test("also where nothing else is judged", () => {
    const config: GateConfig = {
      kinds: { introduced: { level: "off" }, got_larger: { level: "error", minTesters: 30 } },
    };
    expect(grown(config)).toMatchObject({ verdict: "inconclusive", reasons: [told], judged: 0 });
  });

  test("is a note where it could but warn, and where another tag failed", () => {
    const warned = grown({ tags: [{ tag: TAG, level: "warn", minTesters: 30 }] });
    expect(warned).toMatchObject({ verdict: "passed", reasons: [], notes: [`${told}.`], judged: 1 });
    const config: GateConfig = { tags: [{ tag: TAG, minTesters: 30 }] };
    const [a, b] = [side("a", 20, { [TAG]: 4 }), side("b", 20, { [TAG]: 10, y: 12 })];
    const failed = judge(caseOf(a, b, { config }));
    expect(failed).toMatchObject({ verdict: "failed", notes: [`${told}.`] });
    expect(failed.reasons).toEqual([expect.stringMatching(/^y was introduced/)]);
  });

  test("costs nothing where it has not grown enough, is allowed, or maxNew lets it", () => {
    const rule = { tag: TAG, minTesters: 30 };
    expect(grown({ tags: [{ ...rule, maxIncreasePoints: 30 }] })).toMatchObject({ verdict: "passed" });
    const allow = [{ tag: TAG, reason: "PT-1", expires: "2099-01-01" }];
    expect(grown({ tags: [rule], allow })).toMatchObject({ verdict: "passed", notes: [] });
    expect(grown({ tags: [rule], maxNew: 1 }, 0)).toMatchObject({ verdict: "passed" });
    expect(grown({ tags: [rule], maxNew: 1 })).toMatchObject({ verdict: "inconclusive" });
    expect(grown({ tags: [rule] }, 0)).toMatchObject({ verdict: "inconclusive" });
  });

  test("is in no family of tests: the others are as sure as without it", () => {
    const [a, b] = [side("a", 20, { [TAG]: 4 }), side("b", 20, { [TAG]: 10, y: 6 })];
    const chanceOf = (config: GateConfig) =>
      judge(caseOf(a, b, { config })).findings.find(({ tag }) => tag === "y")?.found.adjustedP;
    const off = chanceOf({ tags: [{ tag: TAG, level: "off" }] });
    expect(chanceOf({ tags: [{ tag: TAG, minTesters: 30 }] })).toBe(off);
    expect(chanceOf({})).not.toBe(off);
  });
});

describe("the floor of the whole gate", () => {
  const [a, b] = [side("a", 20, { x: 2 }), side("b", 20, { x: 2, [TAG]: 12 })];
  test.each<[what: string, config: GateConfig]>([
    ["a kind", { kinds: { introduced: { level: "off", minTesters: 30 }, got_larger: { level: "error" } } }],
    ["every tag", { tags: [{ tag: "*", level: "warn", minTesters: 30 }] }],
    ["a certainty of a kind", { kinds: { introduced: { confidence: 0.9999 } } }],
  ])("is not that of %s", (_what, config) => {
    const [small, other] = [side("a", 6, { x: 2 }), side("b", 6, { x: 2, [TAG]: 1 })];
    const reasons = [judge(caseOf(a, b, { config })), judge(caseOf(small, other, { config }))].flatMap(
      (one) => one.reasons,
    );
    expect(reasons.filter((reason) => /of the 30 testers|too few: even/.test(reason))).toEqual([]);
  });
});

test("nothing counts as judged where testers are too few", () => {
  expect(inconclusiveVerdict().judged).toBe(0);
});

describe("a service that tells no testers by tag", () => {
  test("is judged by points alone, and says so", () => {
    const verdict = pointsVerdict();
    expect(verdict).toMatchObject({
      verdict: "failed",
      method: "points",
      judged: 1,
      findings: [{ status: "failed", found: { p: null, adjustedP: null } }],
      notes: [expect.stringContaining("judged by points alone")],
    });
    expect(verdict.reasons[0]).not.toContain("p =");
  });

  test("one count that is missing takes the test from all", () => {
    const change = { tag: TAG, kind: "introduced", deltaPct: 12, testersA: 0, testersB: 3 };
    const changes = [change, { ...change, tag: "x", testersB: null }];
    expect(judge(caseOf(side("a", 20), side("b", 25), { changes }))).toMatchObject({
      method: "points",
      findings: [{ status: "failed" }, { status: "failed" }],
    });
  });

  test("kinds that are not known are never judged", () => {
    const change = { tag: TAG, kind: "a_later_kind", deltaPct: 60, testersA: 0, testersB: 12 };
    const verdict = judge(caseOf(side("a", 20), side("b", 20), { changes: [change] }));
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
  ])("%s keeps its schema", (_what, verdict) => {
    expect(gateVerdict.strict().parse(JSON.parse(JSON.stringify(verdict)))).toEqual(verdict);
  });

  test("the rich one has a finding of every status", () => {
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
])("the chance %d reads %s", (p, text) => {
  expect(formatPValue(p)).toBe(text);
});
