/**
 * Limits on other metrics of the builds: engagement rate, median active time, insights about crashes and errors, and performance. A
 * limit is crossed only if the whole interval of the value is beyond it, because the value of few testers varies by chance.
 */

import type { TesterFacts } from "../scorecard/facts.ts";
import { measureGroups } from "../scorecard/figures.ts";
import { METRICS } from "../scorecard/metrics.ts";
import { parsePerformanceSubject } from "../scorecard/performance.ts";
import { formatMean } from "../scorecard/titled-rows.ts";
import { bootstrapInterval, type DrawnStatistic, drawOnce, prepareRatio } from "../statistics/bootstrap.ts";
import type { Interval } from "../statistics/intervals.ts";
import { DEFAULT_CONFIDENCE, type GateRules, requiredTesters } from "./config.ts";
import type { GateBuild, GateInput, ScriptedRuns } from "./gate-input.ts";
import {
  createMaximum,
  isCrossed,
  type LimitBound,
  limitBounds,
  prepareMetric,
  readReportedMetric,
} from "./limit-values.ts";
import type { GateLimits } from "./limits-config.ts";
import type { MetricRules } from "./metric-rules.ts";
import type { LimitFinding } from "./verdict.ts";

/** One bound that the rules set. */
interface SetLimit {
  readonly name: string;
  readonly bound: LimitBound;
  readonly limit: number;
  readonly level: "warn" | "error";
  /** Prepares what is bounded for some testers. */
  prepare(testers: readonly TesterFacts[]): DrawnStatistic;
  /** Whether enough testers have a value for an interval. The interval of one value would be a point. */
  readonly hasInterval: boolean;
  /** What is bounded as the service reports it; null if it does not. */
  readReported(build: GateBuild): number | null;
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

type LimitInput = Pick<GateInput, "config" | "a" | "b" | "level"> & {
  readonly scripted?: Pick<ScriptedRuns, "hasBaseline">;
};

/** Checks every limit that is set. Without a baseline, nothing has changed. */
export function judgeLimits({ config, a, b, level = 1, scripted }: LimitInput): LimitFinding[] {
  const { limits = {}, confidence = DEFAULT_CONFIDENCE, onlyMetrics } = config;
  const set = [...(onlyMetrics === undefined ? listLimits(limits) : []), ...listMetricLimits(config, b)];
  const all = scripted?.hasBaseline === false ? set.filter(({ bound }) => !bound.isChange) : set;
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
      if (bound === undefined || limit === undefined) return [];
      const prepare = (testers: readonly TesterFacts[]) => prepareMetric(name, testers);
      return [
        {
          ...{ name, bound, limit, level, prepare, hasInterval: true },
          readReported: (build) => readReportedMetric(name, build),
        },
      ];
    });
  });
}

/** The maxima of metrics of performance: a limit for each of their rows in b, or one whose value is not known. */
function listMetricLimits(config: GateRules, { facts }: GateBuild): SetLimit[] {
  const rules: MetricRules = config.metrics ?? {};
  const required = requiredTesters(config);
  return METRICS.flatMap((metric) => {
    const { max, level = "error" } = rules[metric.name] ?? {};
    if (max === undefined || config.onlyMetrics?.includes(metric.name) === false) return [];
    const figures = facts === null ? [] : (measureGroups([facts], [metric])[0] ?? []);
    // Clients choose the names of platforms, so that a single session could add rows.
    const rows = figures.filter(
      ({ subject, total }) =>
        total > 0 && (total >= required || parsePerformanceSubject(subject).platform === null),
    );
    const limited = rows.length === 0 ? [{ subject: null, total: 0, values: [] }] : rows;
    return limited.map(({ subject, total, values }) => ({
      name: subject === null ? metric.name : `${metric.name}:${subject}`,
      bound: createMaximum((value) => formatMean(value, metric.unit)),
      limit: max,
      level,
      hasInterval: total >= required,
      prepare: () => prepareMean([...values]),
      readReported: () => null,
    }));
  });
}

/** The mean of the values of the testers who count. NaN if none of them was drawn. */
const prepareMean = (values: readonly number[]): DrawnStatistic =>
  prepareRatio(
    values.map((value) => (Number.isNaN(value) ? { part: 0, whole: 0 } : { part: value, whole: 1 })),
  );

function prepareMeasurement(a: GateBuild, b: GateBuild, confidence: number): (limit: SetLimit) => Measured {
  if (a.facts === null || b.facts === null) return (limit) => measureReported(limit, a, b);
  const [before, after] = [a.facts.testers, b.facts.testers];
  return (limit) => measureTesters(limit, limit.bound.isChange ? [before, after] : [after], confidence);
}

/** Measures a change between two groups of testers, or the value of one. */
function measureTesters(
  { bound, prepare, hasInterval }: SetLimit,
  groups: readonly (readonly TesterFacts[])[],
  confidence: number,
): Measured {
  const prepared = groups.map(prepare);
  const compute = (draws: readonly Uint32Array[]) => {
    const values = prepared.map((metric, at) => metric(draws[at] ?? new Uint32Array()));
    return bound.measure(values[0] ?? Number.NaN, values.at(-1) ?? Number.NaN);
  };
  const sizes = groups.map(({ length }) => length);
  const value = compute(sizes.map(drawOnce));
  const interval = hasInterval ? bootstrapInterval(sizes, compute, { confidence }) : null;
  return { value, interval, isTested: true };
}

/** The value that the service reports, of all environments combined, without an interval. */
function measureReported({ bound, readReported }: SetLimit, a: GateBuild, b: GateBuild): Measured {
  const [valueA, valueB] = [readReported(a), readReported(b)];
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
