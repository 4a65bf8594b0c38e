/** The metrics that limits apply to: computed from the sessions of each tester if they are known, and otherwise as the service reports them. */
import type { SessionExposure } from "../contract/build-exposure.ts";
import type { GateBuild } from "./build-comparison.ts";
import type { GateLimits } from "./limits-config.ts";
import type { MatchedTester } from "./matched-play.ts";

/** Computes a metric of all sessions of some testers, by how often each tester counts. NaN without sessions. */
type TesterMetric = (draws: Uint32Array) => number;

type SessionValue = (session: SessionExposure) => number;

const metrics: Readonly<Record<keyof GateLimits, (testers: readonly MatchedTester[]) => TesterMetric>> = {
  engagementRate: (testers) =>
    prepareRatio(
      testers,
      ({ activeSec }) => activeSec,
      ({ wallSec }) => wallSec,
    ),
  medianActiveSec: (testers) => prepareMedian(testers, ({ activeSec }) => activeSec),
  bugReportsPerSession: (testers) =>
    prepareRatio(
      testers,
      ({ bugReports }) => bugReports,
      () => 1,
    ),
};

/** Prepares a metric, so that it can be computed for many resamples of the testers. */
export const prepareMetric = (name: keyof GateLimits, testers: readonly MatchedTester[]) =>
  metrics[name](testers);

/** The metric with every tester counted once. */
export const drawOnce = (testers: readonly MatchedTester[]) => new Uint32Array(testers.length).fill(1);

function prepareRatio(
  testers: readonly MatchedTester[],
  numerator: SessionValue,
  denominator: SessionValue,
): TesterMetric {
  const sums = testers.map(({ sessions }) => ({
    above: sessions.reduce((sum, session) => sum + numerator(session), 0),
    below: sessions.reduce((sum, session) => sum + denominator(session), 0),
  }));
  return (draws) => {
    let [above, below] = [0, 0];
    for (const [tester, sum] of sums.entries()) {
      const times = draws[tester] ?? 0;
      above += times * sum.above;
      below += times * sum.below;
    }
    return above / below;
  };
}

/** The median, or the mean of the two middle values. */
function prepareMedian(testers: readonly MatchedTester[], value: SessionValue): TesterMetric {
  const sorted = testers
    .flatMap(({ sessions }, tester) => sessions.map((session) => ({ tester, value: value(session) })))
    .sort((x, y) => x.value - y.value);
  return (draws) => {
    let total = 0;
    for (const { tester } of sorted) total += draws[tester] ?? 0;
    const [lower, upper] = [Math.floor((total - 1) / 2), Math.floor(total / 2)];
    let passed = 0;
    let below = Number.NaN;
    for (const { tester, value: middle } of sorted) {
      passed += draws[tester] ?? 0;
      if (Number.isNaN(below) && passed > lower) below = middle;
      if (passed > upper) return (below + middle) / 2;
    }
    return Number.NaN;
  };
}

/** The metric as the service reports it; null if it does not. */
export function readReportedMetric(name: keyof GateLimits, build: GateBuild): number | null {
  return name === "bugReportsPerSession" ? computeBugReportRate(build) : (build.stats?.[name] ?? null);
}

/** Insights about crashes and errors per session; null if the service does not report them, or without sessions. */
function computeBugReportRate({ byTag, sessions }: GateBuild): number | null {
  if (byTag === null || sessions === null || sessions === 0) return null;
  let count = 0;
  for (const [tag, { insights }] of byTag) if (tag.startsWith("bug-report:")) count += insights;
  return count / sessions;
}
