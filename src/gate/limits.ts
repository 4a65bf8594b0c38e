/** Limits on other metrics of the builds: engagement rate, median active time, and insights about crashes and errors. */

import type { GateBuild } from "./build-comparison.ts";
import type { GateLimits } from "./config.ts";
import type { LimitFinding } from "./verdict.ts";

/** A bound on the metric of build b, or on its change from a to b. */
interface LimitBound {
  /** The number to compare with the bound; null if it is unknown. */
  value(a: number | null, b: number | null): number | null;
  isCrossed(value: number, bound: number): boolean;
  expected(bound: number): string;
  /** The value for people, with enough digits to differ from the bound if it does. */
  found(value: number, bound: number): string;
}

interface LimitMetric {
  value(build: GateBuild): number | null;
  readonly bounds: Readonly<Record<string, LimitBound>>;
}

const valueInB: LimitBound["value"] = (_a, b) => b;
/** Tolerance, so that a value exactly on the bound does not cross it: in binary, 0.8 - 0.75 is more than 0.05. */
const EPSILON = 1e-9;
/** The tolerance in decimals. */
const MAX_DECIMALS = 9;
const isBelow: LimitBound["isCrossed"] = (value, bound) => value < bound - EPSILON;
const isAbove: LimitBound["isCrossed"] = (value, bound) => value > bound + EPSILON;
const formatPercent = (share: number) => `${(share * 100).toFixed(1)}%`;

/** Rounds to `digits` decimals, or to more if the value would otherwise look equal to a bound that it differs from. */
function roundUnlike(value: number, bound: number, digits: number): string {
  const differs = Math.abs(value - bound) > EPSILON;
  let decimals = digits;
  while (differs && decimals < MAX_DECIMALS && Number(value.toFixed(decimals)) === bound) decimals += 1;
  return value.toFixed(decimals);
}

/** A change in words, such as `rose by 0.26` or `fell by 2.5%`. A drop is a change whose positive values are decreases. */
function formatChange(value: number, bound: number, digits: number, unit: string, isDrop: boolean): string {
  const size = value < 0 ? (-value).toFixed(digits) : roundUnlike(value, bound, digits);
  if (Number(size) === 0) return "unchanged";
  return `${value > 0 === isDrop ? "fell" : "rose"} by ${size}${unit}`;
}

/** Computes the change from a to b; null if either value is unknown. */
const measureChange =
  (measure: (a: number, b: number) => number | null): LimitBound["value"] =>
  (a, b) =>
    a === null || b === null ? null : measure(a, b);

const limitMetrics: Readonly<Record<keyof GateLimits, LimitMetric>> = {
  engagementRate: {
    value: ({ stats }) => stats?.engagementRate ?? null,
    bounds: {
      min: {
        value: valueInB,
        isCrossed: isBelow,
        expected: (min) => `at least ${formatPercent(min)}`,
        found: (share, min) => `${roundUnlike(share * 100, min * 100, 1)}%`,
      },
      maxDropPoints: {
        value: measureChange((a, b) => (a - b) * 100),
        isCrossed: isAbove,
        expected: (max) => `a decrease of at most ${max} percentage points`,
        found: (decrease, max) => formatChange(decrease, max, 1, " percentage points", true),
      },
    },
  },
  medianActiveSec: {
    value: ({ stats }) => stats?.medianActiveSec ?? null,
    bounds: {
      min: {
        value: valueInB,
        isCrossed: isBelow,
        expected: (min) => `at least ${min} s`,
        found: (seconds) => `${seconds} s`,
      },
      maxDropPct: {
        value: measureChange((a, b) => (a === 0 ? null : ((a - b) / a) * 100)),
        isCrossed: isAbove,
        expected: (max) => `a decrease of at most ${max}%`,
        found: (decrease, max) => formatChange(decrease, max, 1, "%", true),
      },
    },
  },
  bugReportsPerSession: {
    value: computeBugReportRate,
    bounds: {
      max: {
        value: valueInB,
        isCrossed: isAbove,
        expected: (max) => `at most ${max}`,
        found: (rate, max) => roundUnlike(rate, max, 2),
      },
      maxIncrease: {
        value: measureChange((a, b) => b - a),
        isCrossed: isAbove,
        expected: (max) => `an increase of at most ${max}`,
        found: (increase, max) => formatChange(increase, max, 2, "", false),
      },
    },
  },
};

/** Checks every limit that is set. */
export function judgeLimits(limits: GateLimits, a: GateBuild, b: GateBuild): LimitFinding[] {
  return Object.entries(limitMetrics).flatMap(([name, metric]) => {
    const { level = "error", ...rules } = limits[name as keyof GateLimits] ?? {};
    return Object.entries(rules).flatMap(([key, limit]) => {
      const bound = metric.bounds[key];
      if (bound === undefined || limit === undefined) return [];
      const value = bound.value(metric.value(a), metric.value(b));
      const crossed = value !== null && bound.isCrossed(value, limit);
      const failed = level === "error" ? ("failed" as const) : ("warned" as const);
      return {
        name,
        status: value === null ? ("unknown" as const) : crossed ? failed : ("passed" as const),
        expected: bound.expected(limit),
        found: value === null ? "unknown" : bound.found(value, limit),
      };
    });
  });
}

/** Insights about crashes and errors per session; null if the service does not report them, or without sessions. */
function computeBugReportRate({ byTag, sessions }: GateBuild): number | null {
  if (byTag === null || sessions === null || sessions === 0) return null;
  let count = 0;
  for (const [tag, { insights }] of byTag) if (tag.startsWith("bug-report:")) count += insights;
  return count / sessions;
}
