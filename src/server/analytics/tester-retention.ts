/** Retention of testers by the build of their first session. */
import type { RetentionCohort } from "../../contract/retention.ts";
import { computeRetention, type DeviceSessionTimes } from "../experiments/player-retention.ts";
import type { DeviceSessions } from "./retention-queries.ts";

/** The cohorts of these builds, in their order. Builds that no device played first are left out. */
export function computeCohorts(
  devices: readonly DeviceSessions[],
  builds: readonly string[],
  now: number,
): RetentionCohort[] {
  const byBuild = new Map<string, DeviceSessionTimes[]>();
  for (const { firstBuild, playedAt } of devices) {
    const times = { firstAt: playedAt[0] ?? 0, playedAt };
    const cohort = byBuild.get(firstBuild);
    if (cohort) cohort.push(times);
    else byBuild.set(firstBuild, [times]);
  }
  return builds.flatMap((build) => {
    const testers = byBuild.get(build);
    if (testers === undefined) return [];
    const days = computeRetention(testers, now).map(({ rate, eligible, ...day }) => ({
      ...day,
      eligible,
      rate: eligible === 0 ? null : rate,
    }));
    return [{ build, testers: testers.length, days }];
  });
}
