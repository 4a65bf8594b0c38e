/** The retention of testers by the build of their first session as intervals: one group per day, one row per build. */
import { describeEnvironment } from "../contract/fields.ts";
import type { Retention, RetentionCohort } from "../contract/retention.ts";
import type { IntervalRow, Intervals } from "./charts.ts";

/** The share of testers of each build who came back, by day. */
export function cohortChart({ environment, cohorts, sessionsSkipped, withoutDevice }: Retention): Intervals {
  const days = [...new Set(cohorts.flatMap((cohort) => cohort.days.map(({ day }) => day)))];
  const omitted = [
    ...(withoutDevice > 0
      ? [`Left out: ${withoutDevice} ${withoutDevice === 1 ? "session" : "sessions"} without a device id.`]
      : []),
    ...(sessionsSkipped > 0
      ? [`${sessionsSkipped} sessions were not read, because there are too many.`]
      : []),
  ];
  return {
    kind: "intervals",
    title: `Testers who came back, ${describeEnvironment(environment)}`,
    note: [
      "Day N: the share of testers who came back N days after their first session, by the build of that session, with 95% confidence intervals. Only testers whose day N is over are counted; without any, the share is not known yet.",
      ...omitted,
    ].join(" "),
    unit: "share",
    labels: "First build",
    columns: ["testers"],
    groups: days
      .sort((x, y) => x - y)
      .map((day) => ({
        title: `Day ${day}`,
        mood: "neutral",
        rows: cohorts.map((cohort) => toIntervalRow(cohort, day)),
      })),
  };
}

function toIntervalRow({ build, days }: RetentionCohort, day: number): IntervalRow {
  const result = days.find((entry) => entry.day === day);
  const rate = result?.rate ?? null;
  if (!result || rate === null)
    return { label: build, value: null, interval: null, details: ["not known yet"] };
  const { interval, retained, eligible } = result;
  return { label: build, value: rate, interval, details: [`${retained} of ${eligible}`] };
}
