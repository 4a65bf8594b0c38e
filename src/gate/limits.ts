/** Limits on other figures of the builds: engagement, median active time, findings of crashes and errors. */

import type { GateBuild } from "./build-comparison.ts";
import type { GateLimits } from "./config.ts";
import type { LimitFinding } from "./verdict.ts";

/** What is bounded: a figure of b alone, or its change from a to b. */
interface LimitBound {
  /** The number that the bound is about; null where a side does not tell. */
  value(a: number | null, b: number | null): number | null;
  isCrossed(value: number, bound: number): boolean;
  expected(bound: number): string;
  found(value: number): string;
}

interface LimitMetric {
  of(side: GateBuild): number | null;
  readonly bounds: Readonly<Record<string, LimitBound>>;
}

const valueInB: LimitBound["value"] = (_a, b) => b;
/** A figure on its bound does not cross it: 0.8 - 0.75 is more than 0.05 in binary. */
const EPSILON = 1e-9;
const isBelow: LimitBound["isCrossed"] = (value, bound) => value < bound - EPSILON;
const isAbove: LimitBound["isCrossed"] = (value, bound) => value > bound + EPSILON;
const formatPercent = (share: number) => `${(share * 100).toFixed(1)} %`;
const formatSigned = (value: number, digits: number) => `${value > 0 ? "+" : ""}${value.toFixed(digits)}`;

/** How far b is below or above a, by a measure of the two; null where one is not known. */
const measureChange =
  (measure: (a: number, b: number) => number | null): LimitBound["value"] =>
  (a, b) =>
    a === null || b === null ? null : measure(a, b);

const limitMetrics: Readonly<Record<keyof GateLimits, LimitMetric>> = {
  engagementRate: {
    of: ({ stats }) => stats?.engagementRate ?? null,
    bounds: {
      min: {
        value: valueInB,
        isCrossed: isBelow,
        expected: (least) => `at least ${formatPercent(least)}`,
        found: formatPercent,
      },
      maxDropPoints: {
        value: measureChange((a, b) => (a - b) * 100),
        isCrossed: isAbove,
        expected: (most) => `a drop of at most ${most} points`,
        found: (drop) => `${formatSigned(-drop, 1)} points`,
      },
    },
  },
  medianActiveSec: {
    of: ({ stats }) => stats?.medianActiveSec ?? null,
    bounds: {
      min: {
        value: valueInB,
        isCrossed: isBelow,
        expected: (least) => `at least ${least} s`,
        found: (sec) => `${sec} s`,
      },
      maxDropPct: {
        value: measureChange((a, b) => (a === 0 ? null : ((a - b) / a) * 100)),
        isCrossed: isAbove,
        expected: (most) => `a drop of at most ${most} %`,
        found: (drop) => `${formatSigned(-drop, 1)} %`,
      },
    },
  },
  bugReportsPerSession: {
    of: computeBugReportRate,
    bounds: {
      max: {
        value: valueInB,
        isCrossed: isAbove,
        expected: (most) => `at most ${most}`,
        found: (each) => each.toFixed(2),
      },
      maxIncrease: {
        value: measureChange((a, b) => b - a),
        isCrossed: isAbove,
        expected: (most) => `a growth of at most ${most}`,
        found: (growth) => formatSigned(growth, 2),
      },
    },
  },
};

/** Every limit that is set, with what was found. */
export function judgeLimits(limits: GateLimits, a: GateBuild, b: GateBuild): LimitFinding[] {
  return Object.entries(limitMetrics).flatMap(([name, { of, bounds }]) => {
    const { level = "error", ...set } = limits[name as keyof GateLimits] ?? {};
    return Object.entries(set).flatMap(([key, given]) => {
      const bound = bounds[key];
      if (bound === undefined || given === undefined) return [];
      const value = bound.value(of(a), of(b));
      const crossed = value !== null && bound.isCrossed(value, given);
      const failed = level === "error" ? ("failed" as const) : ("warned" as const);
      return {
        name,
        status: value === null ? ("unknown" as const) : crossed ? failed : ("passed" as const),
        expected: bound.expected(given),
        found: value === null ? "not known" : bound.found(value),
      };
    });
  });
}

/** Findings of crashes and errors, a session; null where the service does not tell, or nobody played. */
function computeBugReportRate({ byTag, sessions }: GateBuild): number | null {
  if (byTag === null || sessions === null || sessions === 0) return null;
  let count = 0;
  for (const [tag, { insights }] of byTag) if (tag.startsWith("bug-report:")) count += insights;
  return count / sessions;
}
