/** The metrics that limits apply to: computed from the sessions of each tester if they are known, and otherwise as the service reports them. */
import type { SessionFacts, TesterFacts } from "../scorecard/facts.ts";
import { sum } from "../statistics/averages.ts";
import { type DrawnStatistic, prepareMedian, prepareRatio } from "../statistics/bootstrap.ts";
import type { GateBuild } from "./gate-input.ts";
import type { GateLimits } from "./limits-config.ts";

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
