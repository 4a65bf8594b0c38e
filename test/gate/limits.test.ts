/** Limits on other figures of the builds: each bound on both sides of it, and where a figure is not known. */
import { describe, expect, test } from "vitest";
import type { GateBuild } from "../../src/gate/build-comparison.ts";
import type { GateLimits } from "../../src/gate/config.ts";
import { judge } from "../../src/gate/judge.ts";
import { judgeLimits } from "../../src/gate/limits.ts";
import { caseOf, side } from "./samples.ts";

const played = (engagementRate: number, medianActiveSec: number): GateBuild => ({
  ...side("x", 10),
  stats: { engagementRate, medianActiveSec },
});
/** Ten testers, twenty sessions, and so many findings of crashes. */
const crashed = (insights: number): GateBuild => ({
  ...side("x", 10),
  byTag: new Map([
    ["bug-report:save", { testers: 1, insights }],
    ["confusion", { testers: 9, insights: 90 }],
  ]),
});

test.each<[limits: GateLimits, a: GateBuild, b: GateBuild, status: string, expected: string, found: string]>([
  [{ engagementRate: { min: 0.5 } }, played(1, 1), played(0.5, 1), "passed", "at least 50.0 %", "50.0 %"],
  [{ engagementRate: { min: 0.5 } }, played(1, 1), played(0.49, 1), "failed", "at least 50.0 %", "49.0 %"],
  [
    { engagementRate: { maxDropPoints: 5 } },
    played(0.8, 1),
    played(0.75, 1),
    "passed",
    "a drop of at most 5 points",
    "-5.0 points",
  ],
  [
    { engagementRate: { maxDropPoints: 5 } },
    played(0.5, 1),
    played(0.44, 1),
    "failed",
    "a drop of at most 5 points",
    "-6.0 points",
  ],
  [
    { engagementRate: { maxDropPoints: 5 } },
    played(0.5, 1),
    played(0.6, 1),
    "passed",
    "a drop of at most 5 points",
    "+10.0 points",
  ],
  [{ medianActiveSec: { min: 600 } }, played(1, 1), played(1, 600), "passed", "at least 600 s", "600 s"],
  [{ medianActiveSec: { min: 600 } }, played(1, 1), played(1, 599), "failed", "at least 600 s", "599 s"],
  [
    { medianActiveSec: { maxDropPct: 10, level: "warn" } },
    played(1, 300),
    played(1, 200),
    "warned",
    "a drop of at most 10 %",
    "-33.3 %",
  ],
  [
    { medianActiveSec: { maxDropPct: 10 } },
    played(1, 0),
    played(1, 200),
    "unknown",
    "a drop of at most 10 %",
    "not known",
  ],
  [{ bugReportsPerSession: { max: 0.5 } }, crashed(0), crashed(10), "passed", "at most 0.5", "0.50"],
  [{ bugReportsPerSession: { max: 0.5 } }, crashed(0), crashed(11), "failed", "at most 0.5", "0.55"],
  [
    { bugReportsPerSession: { maxIncrease: 0.1 } },
    crashed(14),
    crashed(16),
    "passed",
    "a growth of at most 0.1",
    "+0.10",
  ],
  [
    { bugReportsPerSession: { maxIncrease: 0.1 } },
    crashed(4),
    crashed(7),
    "failed",
    "a growth of at most 0.1",
    "+0.15",
  ],
])("%j", (limits, a, b, status, expected, found) => {
  expect(judgeLimits(limits, a, b)).toEqual([{ name: Object.keys(limits)[0], status, expected, found }]);
});

describe("a figure that is not known", () => {
  test("crosses no limit, and is told", () => {
    const unknown: GateBuild = { ...side("x", 10), byTag: null };
    const limits: GateLimits = { engagementRate: { min: 0.5 }, bugReportsPerSession: { max: 1 } };
    expect(judgeLimits(limits, unknown, unknown).map(({ status }) => status)).toEqual(["unknown", "unknown"]);
    expect(judgeLimits(limits, side("a", 0), side("b", 0)).map(({ status }) => status)).toEqual([
      "unknown",
      "unknown",
    ]);
  });
});

test("every bound that is set is told; none where none is", () => {
  const limits: GateLimits = { engagementRate: { min: 0.1, maxDropPoints: 5 }, medianActiveSec: {} };
  expect(judgeLimits(limits, played(1, 1), played(1, 1))).toHaveLength(2);
  expect(judgeLimits({}, played(1, 1), played(1, 1))).toEqual([]);
});

test("a crossed limit fails the gate, a warning does not", () => {
  const [a, b] = [side("a", 20, { x: 2 }), side("b", 20, { x: 2, "bug-report:save": 1 })];
  const withLimit = (level: "warn" | "error") =>
    judge(caseOf(a, b, { config: { limits: { bugReportsPerSession: { max: 0, level } } } }));
  expect(withLimit("error")).toMatchObject({
    verdict: "failed",
    reasons: ["bugReportsPerSession is 0.03, expected at most 0"],
  });
  expect(withLimit("warn").verdict).toBe("passed");
});
