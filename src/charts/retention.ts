/** Who came back, as intervals: one group per day, one row per build of the first session or per variant. */
import type { VariantComparison } from "../contract/experiments.ts";
import { describeEnvironment } from "../contract/fields.ts";
import type { Retention } from "../contract/retention.ts";
import { formatCount } from "../shared/words.ts";
import type { IntervalRow, Intervals } from "./charts.ts";

interface Cohort {
  readonly label: string;
  readonly days: ReadonlyArray<
    Pick<IntervalRow, "interval"> & {
      readonly day: number;
      /** Null if it is not known. */
      readonly rate: number | null;
      readonly retained: number;
      readonly eligible: number;
    }
  >;
}

/** The groups of a chart. `unknown` is the detail of a row without a value. */
function groupByDay(cohorts: readonly Cohort[], unknown: string | null): Intervals["groups"] {
  const days = new Set(cohorts.flatMap((cohort) => cohort.days.map(({ day }) => day)));
  const toRow = ({ label, days }: Cohort, day: number): IntervalRow => {
    const result = days.find((entry) => entry.day === day && entry.rate !== null);
    if (!result) return { label, value: null, interval: null, details: [unknown] };
    const { rate, interval, retained, eligible } = result;
    return { label, value: rate, interval, details: [`${retained} of ${eligible}`] };
  };
  return [...days]
    .sort((x, y) => x - y)
    .map((day) => ({
      title: `Day ${day}`,
      mood: "neutral",
      rows: cohorts.map((cohort) => toRow(cohort, day)),
    }));
}

/** The share of testers of each build who came back, by day. */
export function cohortChart({ environment, cohorts, sessionsSkipped, withoutDevice }: Retention): Intervals {
  const omitted = [
    ...(withoutDevice > 0 ? [`Left out: ${formatCount(withoutDevice, "session")} without a device id.`] : []),
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
    groups: groupByDay(
      cohorts.map(({ build, days }) => ({
        label: build,
        days: days.map(({ rate = null, ...entry }) => ({ ...entry, rate })),
      })),
      "not known yet",
    ),
  };
}

/** The share of players of each variant who returned, by day. */
export function retentionChart({ experimentId, name, variants }: VariantComparison): Intervals {
  const cohorts = variants.map(({ key, retention }) => ({
    label: key,
    days: retention.map(({ rate, interval = null, ...entry }) => ({
      ...{ ...entry, interval },
      rate: entry.eligible > 0 ? rate : null,
    })),
  }));
  return {
    kind: "intervals",
    title: `${name ?? experimentId}: player retention`,
    note: "Day N: the share of players who returned N days after they joined, with 95% confidence intervals. Only players who joined at least N + 1 days ago are counted, because day N must be over.",
    unit: "share",
    labels: "Variant",
    columns: ["players"],
    groups: groupByDay(cohorts, null),
  };
}
