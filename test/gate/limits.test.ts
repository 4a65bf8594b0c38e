/** Limits on other metrics: values on both sides of each bound, and unknown values. */
import { describe, expect, test } from "vitest";
import type { GateBuild } from "../../src/gate/gate-input.ts";
import { judge } from "../../src/gate/judge.ts";
import { judgeLimits } from "../../src/gate/limits.ts";
import type { GateLimits } from "../../src/gate/limits-config.ts";
import type { SessionFacts } from "../../src/scorecard/facts.ts";
import { group, session, tester } from "../scorecard/facts.ts";
import { build, gateInput, row } from "./samples.ts";

const withStats = (engagementRate: number, medianActiveSec: number): GateBuild =>
  build("x", 10, { stats: { engagementRate, medianActiveSec } });

/** A build of which it is known what each of 40 testers did in one session. */
const played = (create: (at: number) => Partial<SessionFacts>): GateBuild =>
  build("x", 40, {
    facts: group(Array.from({ length: 40 }, (_, at) => tester([session(create(at))]))),
  });
/** The first testers have a tag about a bug, and every one has another tag. */
const withBugs = (count: number) =>
  played((at) => ({
    tags: ["confusion:menu", ...(at < count ? ["bug-report:save"] : [])].map((tag) => ({ tag, afterSec: 1 })),
  }));

test.each<[limits: GateLimits, a: GateBuild, b: GateBuild, status: string, expected: string, found: string]>([
  [{ engagementRate: { min: 0.5 } }, withStats(1, 1), withStats(0.5, 1), "passed", "at least 50.0%", "50.0%"],
  [
    { engagementRate: { min: 0.5 } },
    withStats(1, 1),
    withStats(0.49, 1),
    "failed",
    "at least 50.0%",
    "49.0%",
  ],
  [
    { engagementRate: { maxDropPoints: 5 } },
    withStats(0.8, 1),
    withStats(0.75, 1),
    "passed",
    "a decrease of at most 5 percentage points",
    "fell by 5.0 percentage points",
  ],
  [
    { engagementRate: { maxDropPoints: 5 } },
    withStats(0.5, 1),
    withStats(0.44, 1),
    "failed",
    "a decrease of at most 5 percentage points",
    "fell by 6.0 percentage points",
  ],
  [
    { engagementRate: { maxDropPoints: 5 } },
    withStats(0.5, 1),
    withStats(0.6, 1),
    "passed",
    "a decrease of at most 5 percentage points",
    "rose by 10.0 percentage points",
  ],
  [
    { medianActiveSec: { min: 600 } },
    withStats(1, 1),
    withStats(1, 600),
    "passed",
    "at least 600 s",
    "600 s",
  ],
  [
    { medianActiveSec: { min: 600 } },
    withStats(1, 1),
    withStats(1, 599),
    "failed",
    "at least 600 s",
    "599 s",
  ],
  [
    { medianActiveSec: { maxDropPct: 10, level: "warn" } },
    withStats(1, 300),
    withStats(1, 200),
    "warned",
    "a decrease of at most 10%",
    "fell by 33.3%",
  ],
  [
    { medianActiveSec: { maxDropPct: 10 } },
    withStats(1, 0),
    withStats(1, 200),
    "unknown",
    "a decrease of at most 10%",
    "unknown",
  ],
])("%j", (limits, a, b, status, expected, found) => {
  const name = Object.keys(limits)[0];
  expect(judgeLimits({ config: { limits }, a: a, b: b })).toEqual([
    { name, status, reason: null, expected, found, interval: null },
  ]);
});

test.each<[GateLimits, GateBuild, GateBuild, string, string]>([
  [{ engagementRate: { min: 0.5 } }, withStats(1, 1), withStats(0.49996, 1), "failed", "49.996%"],
  [
    { engagementRate: { maxDropPoints: 0 } },
    withStats(0.8, 1),
    withStats(0.7997, 1),
    "failed",
    "fell by 0.03 percentage points",
  ],
  [{ engagementRate: { maxDropPoints: 0 } }, withStats(0.8, 1), withStats(0.8, 1), "passed", "unchanged"],
])("shows enough digits to tell a value from its limit: %j", (limits, a, b, status, found) => {
  expect(judgeLimits({ config: { limits }, a: a, b: b })).toMatchObject([{ status, found }]);
});

test("an unknown value is reported and crosses no limit", () => {
  const unknown = build("x", 10);
  const limits: GateLimits = { engagementRate: { min: 0.5 }, bugReportsPerSession: { max: 0 } };
  const found = judgeLimits({ config: { limits }, a: unknown, b: unknown });
  expect(found.map(({ status, interval }) => [status, interval])).toEqual([
    ["unknown", null],
    ["unknown", null],
  ]);
});

test("reports every bound that is set", () => {
  const limits: GateLimits = { engagementRate: { min: 0.1, maxDropPoints: 5 }, medianActiveSec: {} };
  expect(judgeLimits({ config: { limits }, a: withStats(1, 1), b: withStats(1, 1) })).toHaveLength(2);
  expect(judgeLimits({ config: { limits: {} }, a: withStats(1, 1), b: withStats(1, 1) })).toEqual([]);
});

test("without a baseline, no bound of a change is checked", () => {
  const limits: GateLimits = { engagementRate: { min: 0.1, maxDropPoints: 5 } };
  const both = { a: withStats(0, 0), b: withStats(1, 1) };
  const found = judgeLimits({ config: { limits }, ...both, scripted: { hasBaseline: false } });
  expect(found.map(({ expected, status }) => [expected, status])).toEqual([["at least 10.0%", "passed"]]);
});

describe("with the facts of the testers", () => {
  const judgeOne = (limits: GateLimits, a: GateBuild, b: GateBuild) =>
    judgeLimits({ config: { limits }, a, b })[0];

  test("a limit is crossed only if the whole interval is beyond it", () => {
    const max = (count: number) =>
      judgeOne({ bugReportsPerSession: { max: 0.2 } }, withBugs(0), withBugs(count));
    expect(max(8)).toMatchObject({ status: "passed", found: "0.20" });
    expect(max(12)).toMatchObject({ status: "noise", found: "0.30" });
    expect(max(30)).toMatchObject({ status: "failed", found: "0.75" });
    expect(Number(max(30)?.interval?.low)).toBeGreaterThan(0.2);
  });

  test("a change counts by the testers of both builds", () => {
    const increase = { bugReportsPerSession: { maxIncrease: 0.1 } };
    expect(judgeOne(increase, withBugs(2), withBugs(30))).toMatchObject({
      status: "failed",
      found: "rose by 0.70",
    });
    expect(judgeOne(increase, withBugs(10), withBugs(16))).toMatchObject({ status: "noise" });
  });

  test("time counts by session, and the statistics of all environments do not matter", () => {
    const b = {
      ...played((at) => ({ activeSec: 300 + 2 * at, wallSec: 1000 })),
      stats: withStats(1, 9000).stats,
    };
    const limits: GateLimits = { engagementRate: { min: 0.5 }, medianActiveSec: { min: 600 } };
    expect(judgeLimits({ config: { limits }, a: b, b })).toMatchObject([
      { status: "failed", found: "33.9%" },
      { status: "failed", found: "339 s" },
    ]);
  });
});

test("fails the gate if a limit of level error is crossed", () => {
  const [a, b] = [withStats(0.8, 900), withStats(0.4, 900)];
  const withLimit = (level: "warn" | "error") =>
    judge(
      gateInput([row("confusion:map", [5, 20], [5, 22])], {
        ...{ a: build("a", 20, { stats: a.stats }), b: build("b", 22, { stats: b.stats }) },
        config: { limits: { engagementRate: { min: 0.5, level } } },
      }),
    );
  expect(withLimit("error")).toMatchObject({
    verdict: "failed",
    reasons: ["engagementRate is 40.0% (limit: at least 50.0%)"],
  });
  expect(withLimit("warn").verdict).toBe("passed");
});
