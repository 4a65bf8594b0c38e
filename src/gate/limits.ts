/**
 * Limits on other metrics of the builds: engagement rate, median active time, and insights about crashes and errors. A
 * limit is crossed only if the whole interval of the value is beyond it, because the value of few testers varies by chance.
 */

import type { TesterFacts } from "../scorecard/facts.ts";
import { bootstrapInterval, drawOnce } from "../statistics/bootstrap.ts";
import type { Interval } from "../statistics/intervals.ts";
import { DEFAULT_CONFIDENCE, type GateConfig } from "./config.ts";
import type { GateBuild } from "./gate-input.ts";
import { isCrossed, type LimitBound, limitBounds } from "./limit-bounds.ts";
import { prepareMetric, readReportedMetric } from "./limit-metrics.ts";
import type { GateLimits } from "./limits-config.ts";
import type { LimitFinding } from "./verdict.ts";

/** One bound that the rules set. */
interface SetLimit {
  readonly name: keyof GateLimits;
  readonly bound: LimitBound;
  readonly limit: number;
  readonly level: "warn" | "error";
}

/** A value to compare with a limit. */
interface Measured {
  /** NaN if it is unknown. */
  readonly value: number;
  /** Null if the sessions of each tester are not known. */
  readonly interval: Interval | null;
  /** Whether the interval decides. */
  readonly isTested: boolean;
}

interface LimitInput {
  readonly config: GateConfig;
  readonly a: GateBuild;
  readonly b: GateBuild;
  /** The significance level of this run among repeated ones; by default 1 - confidence. */
  readonly level?: number;
}

/** Checks every limit that is set. */
export function judgeLimits({ config, a, b, level = 1 }: LimitInput): LimitFinding[] {
  const { limits = {}, confidence = DEFAULT_CONFIDENCE } = config;
  const all = listLimits(limits);
  // Bonferroni's correction, so that all intervals together have the confidence.
  const each = 1 - Math.min(1 - confidence, level) / Math.max(1, all.length);
  const measure = prepareMeasurement(a, b, each);
  return all.map((limit) => describeFinding(limit, measure(limit)));
}

function listLimits(limits: GateLimits): SetLimit[] {
  return (Object.keys(limitBounds) as (keyof GateLimits)[]).flatMap((name) => {
    const { level = "error", ...rules } = limits[name] ?? {};
    return Object.entries(rules).flatMap(([key, limit]): SetLimit[] => {
      const bound = limitBounds[name][key];
      return bound === undefined || limit === undefined ? [] : [{ name, bound, limit, level }];
    });
  });
}

function prepareMeasurement(a: GateBuild, b: GateBuild, confidence: number): (limit: SetLimit) => Measured {
  if (a.facts === null || b.facts === null) return (limit) => measureReported(limit, a, b);
  const [before, after] = [a.facts.testers, b.facts.testers];
  return ({ name, bound }) =>
    measureTesters(name, bound, bound.isChange ? [before, after] : [after], confidence);
}

/** Measures a change between two groups of testers, or the value of one. */
function measureTesters(
  name: keyof GateLimits,
  bound: LimitBound,
  groups: readonly (readonly TesterFacts[])[],
  confidence: number,
): Measured {
  const prepared = groups.map((testers) => prepareMetric(name, testers));
  const compute = (draws: readonly Uint32Array[]) => {
    const values = prepared.map((metric, at) => metric(draws[at] ?? new Uint32Array()));
    return bound.measure(values[0] ?? Number.NaN, values.at(-1) ?? Number.NaN);
  };
  const sizes = groups.map(({ length }) => length);
  const value = compute(sizes.map(drawOnce));
  return { value, interval: bootstrapInterval(sizes, compute, { confidence }), isTested: true };
}

/** The value that the service reports, of all environments combined, without an interval. */
function measureReported({ name, bound }: SetLimit, a: GateBuild, b: GateBuild): Measured {
  const [valueA, valueB] = [readReportedMetric(name, a), readReportedMetric(name, b)];
  const isKnown = valueB !== null && (valueA !== null || !bound.isChange);
  const value = isKnown ? bound.measure(valueA ?? Number.NaN, valueB) : Number.NaN;
  return { value, interval: null, isTested: false };
}

function describeFinding(limit: SetLimit, { value, interval, isTested }: Measured): LimitFinding {
  const { name, bound, limit: number } = limit;
  const isUnknown = Number.isNaN(value);
  const format = (one: number) => bound.found(one, number);
  return {
    name,
    status: isUnknown
      ? "unknown"
      : resolveStatus(limit, value, isTested ? interval : { low: value, high: value }),
    reason: null,
    expected: bound.expected(number),
    found: isUnknown ? "unknown" : format(value),
    interval:
      isUnknown || interval === null ? null : { low: format(interval.low), high: format(interval.high) },
  };
}

/** Without an interval, there are too few testers to decide whether the limit is crossed. */
function resolveStatus(
  { bound, limit, level }: SetLimit,
  value: number,
  interval: Interval | null,
): LimitFinding["status"] {
  if (!isCrossed(bound, value, limit)) return "passed";
  const nearest = interval && (bound.isMaximum ? interval.low : interval.high);
  if (nearest === null || !isCrossed(bound, nearest, limit)) return "noise";
  return level === "error" ? "failed" : "warned";
}
