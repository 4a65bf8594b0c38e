/** A friction diff as a single chart, and which builds have nothing to show in it. */
import type { BuildComparison } from "../contract/builds.ts";
import type { Bars } from "./charts.ts";
import { describeNoTesters, frictionChart, frictionView, toFrictionBuild } from "./friction.ts";
import type { TestedComparison } from "./tested-changes.ts";

/** Names the builds without testers; null if both have testers. */
export const describeMissingTesters = ({ environment, buildA, buildB }: BuildComparison): string | null =>
  describeNoTesters({ environment, a: toFrictionBuild(buildA), b: toFrictionBuild(buildB) });

/** The diff as a separate chart. It includes the notes that the whole view shows in its answer. */
export function comparisonChart(data: BuildComparison, tested: TestedComparison): Bars {
  const chart = frictionChart(frictionView(data, tested));
  return { ...chart, note: [chart.note, ...tested.notes].join(" ") };
}
