/** A funnel as intervals: one group per build or variant, one row per step. */

import { describeEnvironment } from "../contract/fields.ts";
import type { Funnel, FunnelGroup } from "../contract/funnels.ts";
import { formatUtcDay } from "../shared/time-units.ts";
import { formatCount } from "../shared/words.ts";
import type { Intervals } from "./charts.ts";

/** The share of the testers of each group who reached each step. */
export function funnelChart(funnel: Funnel): Intervals {
  const { groups, testers } = funnel;
  return {
    kind: "intervals",
    title: `Funnel of ${formatCount(testers.total, "tester")}, ${describeEnvironment(funnel.environment)}`,
    note: [
      "Share of the testers of the first step who reached each step in order, with 95% confidence intervals.",
      ...describeOmitted(funnel),
    ].join(" "),
    unit: "share",
    labels: "Step",
    columns: ["testers"],
    groups: groups.map((group) => ({
      title: group.key ?? "All sessions",
      mood: "neutral",
      rows: toRows(group),
    })),
  };
}

function toRows({ steps }: FunnelGroup) {
  return steps.map(({ step, testers, ofFirst, ofFirstInterval }) => ({
    label: step,
    value: ofFirst ?? null,
    interval: ofFirst === null || ofFirst === undefined ? null : ofFirstInterval,
    details: [String(testers)],
  }));
}

/** What the funnel leaves out, one sentence each. */
export function describeOmitted({ sessions, testers, groupsOmitted, by, completeSince }: Funnel): string[] {
  const { withoutEvents, unreadable } = sessions;
  return [
    ...(withoutEvents > 0 ? [`${withoutEvents} of ${sessions.total} sessions have no stored events.`] : []),
    ...(completeSince == null
      ? []
      : [`Pruning removed events of sessions up to ${formatUtcDay(completeSince)}.`]),
    ...(unreadable > 0 ? [`${unreadable} sessions have damaged events and are left out.`] : []),
    ...(testers.skipped > 0
      ? [`${testers.skipped} testers with older sessions are left out, because there are too many events.`]
      : []),
    ...(groupsOmitted > 0 ? [`${groupsOmitted} further ${by ?? "group"}s are not shown.`] : []),
  ];
}
