/** The view of a friction diff: the changes by kind, worst first, with the testers in both builds. */

import type { Bars } from "../../../charts/charts.ts";
import { frictionChart } from "../../../charts/friction.ts";
import type { BuildComparison, ComparedBuild } from "../../../contract/builds.ts";
import { toTagChanges } from "../../../gate/build-comparison.ts";
import { renderBars } from "../../../render/charts/rows.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { cleanLine } from "../../../render/text.ts";

/** The diff as a chart. */
export function comparisonChart(data: BuildComparison): Bars {
  const toBuild = ({ version, testersInBatch }: ComparedBuild) => ({ version, testers: testersInBatch });
  const { game, environment, buildA, buildB } = data;
  return frictionChart({
    game: game.name,
    environment,
    a: toBuild(buildA),
    b: toBuild(buildB),
    changes: toTagChanges(data),
  });
}

/** The whole view, ending in a line feed. */
export function compareView(data: BuildComparison, options: RenderOptions): string {
  const chart = renderBars(comparisonChart(data), options);
  return data.diff.changes.length > 0 ? chart : `${chart}\n${describeNoChanges(data)}\n`;
}

/** A build without testers is not a build without friction. */
function describeNoChanges({ buildA, buildB }: BuildComparison): string {
  const empty = [buildA, buildB].filter((build) => build.testersInBatch === 0);
  if (empty.length === 0) return "No friction in either build.";
  const versions = empty.map(({ version }) => cleanLine(version)).join(" and ");
  return `Nothing to compare: ${versions} ${empty.length === 1 ? "has" : "have"} no testers.`;
}
