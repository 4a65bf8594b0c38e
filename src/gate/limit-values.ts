/**
 * The metrics that limits apply to, and their bounds: on the metric of build b, or on its change from a to b. Metrics are computed
 * from the sessions of each tester if they are known, and otherwise as the service reports them.
 */
import type { SessionFacts, TesterFacts } from "../scorecard/facts.ts";
import { sum } from "../statistics/averages.ts";
import { type DrawnStatistic, prepareMedian, prepareRatio } from "../statistics/bootstrap.ts";
import type { GateBuild } from "./gate-input.ts";
import type { GateLimits } from "./limits-config.ts";

export interface LimitBound {
  /** Whether the bound is on the change from a to b. */
  readonly isChange: boolean;
  /** The number to compare with the bound. NaN if it cannot be computed. */
  measure(a: number, b: number): number;
  /** Whether values above the bound cross it; otherwise values below it do. */
  readonly isMaximum: boolean;
  expected(bound: number): string;
  /** The value for people, with enough digits to differ from the bound if it does. */
  found(value: number, bound: number): string;
}

/** Tolerance, so that a value exactly on the bound does not cross it: in binary, 0.8 - 0.75 is more than 0.05. */
const EPSILON = 1e-9;
/** The tolerance in decimals. */
const MAX_DECIMALS = 9;

export const isCrossed = ({ isMaximum }: LimitBound, value: number, bound: number) =>
  isMaximum ? value > bound + EPSILON : value < bound - EPSILON;

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

/** A bound on the metric of build b. */
const valueInB = { isChange: false, measure: (_a: number, b: number) => b };

/** A maximum for build b, formatted with its unit. */
export const createMaximum = (format: (value: number) => string): LimitBound => ({
  ...valueInB,
  isMaximum: true,
  expected: (max) => `at most ${format(max)}`,
  found: format,
});

/** The bounds of each metric by their names in the rules. */
export const limitBounds: Readonly<Record<keyof GateLimits, Readonly<Record<string, LimitBound>>>> = {
  engagementRate: {
    min: {
      ...valueInB,
      isMaximum: false,
      expected: (min) => `at least ${formatPercent(min)}`,
      found: (share, min) => `${roundUnlike(share * 100, min * 100, 1)}%`,
    },
    maxDropPoints: {
      isChange: true,
      measure: (a, b) => (a - b) * 100,
      isMaximum: true,
      expected: (max) => `a decrease of at most ${max} percentage points`,
      found: (decrease, max) => formatChange(decrease, max, 1, " percentage points", true),
    },
  },
  medianActiveSec: {
    min: {
      ...valueInB,
      isMaximum: false,
      expected: (min) => `at least ${min} s`,
      found: (seconds) => `${Number(seconds.toFixed(3))} s`,
    },
    maxDropPct: {
      isChange: true,
      measure: (a, b) => (a === 0 ? Number.NaN : ((a - b) / a) * 100),
      isMaximum: true,
      expected: (max) => `a decrease of at most ${max}%`,
      found: (decrease, max) => formatChange(decrease, max, 1, "%", true),
    },
  },
  bugReportsPerSession: {
    max: {
      ...valueInB,
      isMaximum: true,
      expected: (max) => `at most ${max}`,
      found: (rate, max) => roundUnlike(rate, max, 2),
    },
    maxIncrease: {
      isChange: true,
      measure: (a, b) => b - a,
      isMaximum: true,
      expected: (max) => `an increase of at most ${max}`,
      found: (increase, max) => formatChange(increase, max, 2, "", false),
    },
  },
};

type SessionValue = (session: SessionFacts) => number;

const metrics: Readonly<Record<keyof GateLimits, (testers: readonly TesterFacts[]) => DrawnStatistic>> = {
  engagementRate: (testers) =>
    prepareSessionRatio(
      testers,
      ({ activeSec }) => activeSec,
      ({ wallSec }) => wallSec,
    ),
  medianActiveSec: (testers) =>
    prepareMedian(testers.map(({ sessions }) => sessions.map(({ activeSec }) => activeSec))),
  bugReportsPerSession: (testers) =>
    prepareSessionRatio(
      testers,
      ({ tags }) => tags.filter(({ tag }) => tag.startsWith("bug-report:")).length,
      () => 1,
    ),
};

/** Prepares a metric of all sessions of some testers, so that it can be computed for many resamples of the testers. */
export const prepareMetric = (name: keyof GateLimits, testers: readonly TesterFacts[]) =>
  metrics[name](testers);

const prepareSessionRatio = (
  testers: readonly TesterFacts[],
  part: SessionValue,
  whole: SessionValue,
): DrawnStatistic =>
  prepareRatio(
    testers.map(({ sessions }) => ({ part: sum(sessions.map(part)), whole: sum(sessions.map(whole)) })),
  );

/** The metric as the service reports it; null if it does not. */
export const readReportedMetric = (name: keyof GateLimits, { stats }: GateBuild): number | null =>
  name === "bugReportsPerSession" ? null : (stats?.[name] ?? null);
