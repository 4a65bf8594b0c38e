/** The metrics that limits apply to: computed from the sessions of each tester if they are known, and otherwise as the service reports them. */
import type { SessionHistory } from "../contract/play-history.ts";
import { sum } from "../statistics/averages.ts";
import { type DrawnStatistic, prepareMedian, prepareRatio } from "../statistics/bootstrap.ts";
import type { GateBuild } from "./build-comparison.ts";
import type { GateLimits } from "./limits-config.ts";
import type { MatchedTester } from "./matched-play.ts";

type SessionValue = (session: SessionHistory) => number;

const metrics: Readonly<Record<keyof GateLimits, (testers: readonly MatchedTester[]) => DrawnStatistic>> = {
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
      ({ bugReports }) => bugReports,
      () => 1,
    ),
};

/** Prepares a metric of all sessions of some testers, so that it can be computed for many resamples of the testers. */
export const prepareMetric = (name: keyof GateLimits, testers: readonly MatchedTester[]) =>
  metrics[name](testers);

const prepareSessionRatio = (
  testers: readonly MatchedTester[],
  part: SessionValue,
  whole: SessionValue,
): DrawnStatistic =>
  prepareRatio(
    testers.map(({ sessions }) => ({ part: sum(sessions.map(part)), whole: sum(sessions.map(whole)) })),
  );

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
