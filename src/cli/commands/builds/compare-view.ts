/** The view of a friction diff: the changes by kind, worst first, with the testers in both builds. */

import type { Bars } from "../../../charts/charts.ts";
import { describeNoTesters, type FrictionView, frictionChart } from "../../../charts/friction.ts";
import type { BuildComparison, ComparedBuild } from "../../../contract/builds.ts";
import { toTagChanges } from "../../../gate/build-comparison.ts";
import { renderBars } from "../../../render/charts/rows.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { cleanLine } from "../../../render/text.ts";

/** The diff as a chart. */
export const comparisonChart = (data: BuildComparison): Bars => frictionChart(comparisonView(data));

function comparisonView(data: BuildComparison): FrictionView {
  const toBuild = ({ version, testersInBatch }: ComparedBuild) => ({ version, testers: testersInBatch });
  const { game, environment, buildA, buildB } = data;
  return {
    game: game.name,
    environment,
    a: toBuild(buildA),
    b: toBuild(buildB),
    changes: toTagChanges(data),
  };
}

/** Says which builds have no testers; null if both have some. */
export const describeMissingTesters = (data: BuildComparison): string | null =>
  describeNoTesters(comparisonView(data));

/** The whole view, ending in a line feed. */
export function compareView(data: BuildComparison, options: RenderOptions): string {
  const chart = comparisonChart(data);
  const view = comparisonView(data);
  const reason =
    describeNoTesters(view) ?? (view.changes.length === 0 ? "No friction in either build." : null);
  if (reason === null) return renderBars(chart, options);
  const paint = painter(options);
  const title = renderParagraph(cleanLine(chart.title), "", options).map((line) => paint(line, "strong"));
  const lines = [...title, ...renderParagraph(cleanLine(reason), "", options)];
  return `${lines.join("\n")}\n`;
}
