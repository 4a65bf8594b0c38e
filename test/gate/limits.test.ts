/** Limits on other metrics: values on both sides of each bound, and unknown values. */
import { describe, expect, test } from "vitest";
import type { GateBuild } from "../../src/gate/build-comparison.ts";
import { judge } from "../../src/gate/judge.ts";
import { judgeLimits } from "../../src/gate/limits.ts";
import type { GateLimits } from "../../src/gate/limits-config.ts";
import { build, gateInput } from "./samples.ts";

const withStats = (engagementRate: number, medianActiveSec: number): GateBuild => ({
  ...build("x", 10),
  stats: { engagementRate, medianActiveSec },
});
/** Ten testers, twenty sessions, and this many insights about crashes. */
const withCrashes = (insights: number): GateBuild => ({
  ...build("x", 10),
  byTag: new Map([
    ["bug-report:save", { testers: 1, insights }],
    ["confusion", { testers: 9, insights: 90 }],
  ]),
});

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
  [{ bugReportsPerSession: { max: 0.5 } }, withCrashes(0), withCrashes(10), "passed", "at most 0.5", "0.50"],
  [{ bugReportsPerSession: { max: 0.5 } }, withCrashes(0), withCrashes(11), "failed", "at most 0.5", "0.55"],
  [
    { bugReportsPerSession: { maxIncrease: 0.1 } },
    withCrashes(14),
    withCrashes(16),
    "passed",
    "an increase of at most 0.1",
    "rose by 0.10",
  ],
  [
    { bugReportsPerSession: { maxIncrease: 0.1 } },
    withCrashes(4),
    withCrashes(7),
    "failed",
    "an increase of at most 0.1",
    "rose by 0.15",
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

describe("an unknown value", () => {
  test("is reported and crosses no limit", () => {
    const unknown: GateBuild = { ...build("x", 10), byTag: null };
    const limits: GateLimits = { engagementRate: { min: 0.5 }, bugReportsPerSession: { max: 1 } };
    expect(judgeLimits({ config: { limits }, a: unknown, b: unknown }).map(({ status }) => status)).toEqual([
      "unknown",
      "unknown",
    ]);
    expect(
      judgeLimits({ config: { limits }, a: build("a", 0), b: build("b", 0) }).map(({ status }) => status),
    ).toEqual(["unknown", "unknown"]);
  });
});

test("reports every bound that is set", () => {
  const limits: GateLimits = { engagementRate: { min: 0.1, maxDropPoints: 5 }, medianActiveSec: {} };
  expect(judgeLimits({ config: { limits }, a: withStats(1, 1), b: withStats(1, 1) })).toHaveLength(2);
  expect(judgeLimits({ config: { limits: {} }, a: withStats(1, 1), b: withStats(1, 1) })).toEqual([]);
});

test("fails the gate if a limit of level error is crossed", () => {
  const [a, b] = [build("a", 20, { x: 2 }), build("b", 20, { x: 2, "bug-report:save": 1 })];
  const withLimit = (level: "warn" | "error") =>
    judge(gateInput(a, b, { config: { limits: { bugReportsPerSession: { max: 0, level } } } }));
  expect(withLimit("error")).toMatchObject({
    verdict: "failed",
    reasons: ["bugReportsPerSession is 0.03 (limit: at most 0)"],
  });
  expect(withLimit("warn").verdict).toBe("passed");
});
