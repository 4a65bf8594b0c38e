/** What people see of a friction diff: the changes by kind, worst first, each with its share in both builds. */

import type { Bars } from "../../../charts/charts.ts";
import { frictionChart } from "../../../charts/friction.ts";
import type { BuildComparison, ComparedBuild } from "../../../contract/builds.ts";
import { toTagChanges } from "../../../gate/build-comparison.ts";
import { renderBars } from "../../../render/charts/rows.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { cleanLine } from "../../../render/text.ts";

/** The diff as a chart. */
export function comparisonChart(data: BuildComparison): Bars {
  const side = ({ version, testersInBatch }: ComparedBuild) => ({ version, testers: testersInBatch });
  const { game, environment, buildA, buildB } = data;
  return frictionChart({
    game: game.name,
    environment,
    a: side(buildA),
    b: side(buildB),
    changes: toTagChanges(data),
  });
}

/** The whole view, ending in a line feed. */
export function compareView(data: BuildComparison, options: RenderOptions): string {
  const drawn = renderBars(comparisonChart(data), options);
  return data.diff.changes.length > 0 ? drawn : `${drawn}\n${describeNoChanges(data)}\n`;
}

/** Nothing found where nobody played is no good news. */
function describeNoChanges({ buildA, buildB }: BuildComparison): string {
  const empty = [buildA, buildB].filter((side) => side.testersInBatch === 0);
  if (empty.length === 0) return "No friction in either build.";
  return `Nothing to compare: no testers of ${empty.map(({ version }) => cleanLine(version)).join(" and ")}.`;
}
