/** The view of a friction diff: the answer in words, the changes with their tests, and the methods. */

import type { Bars } from "../../../charts/charts.ts";
import { answerComparison } from "../../../charts/comparison-answer.ts";
import { describeNoTesters, describeTests, frictionChart, frictionView } from "../../../charts/friction.ts";
import type { BuildComparison } from "../../../contract/builds.ts";
import { renderBars } from "../../../render/charts/rows.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { cleanLine } from "../../../render/text.ts";

/** The diff as a chart. */
export const comparisonChart = (data: BuildComparison): Bars => frictionChart(frictionView(data));

/** Names the builds without testers; null if both have testers. */
export const describeMissingTesters = (data: BuildComparison): string | null =>
  describeNoTesters(frictionView(data));

/** The whole view, ending in a line feed. */
export function compareView(data: BuildComparison, options: RenderOptions): string {
  const chart = comparisonChart(data);
  const paint = painter(options);
  const noTesters = describeNoTesters(frictionView(data));
  const [result = "", ...more] = answerComparison(data).sentences;
  if (noTesters !== null || data.diff.changes.length === 0) {
    const title = renderParagraph(cleanLine(chart.title), "", options).map((line) => paint(line, "strong"));
    const reason = noTesters ?? [result, ...more].join(" ");
    return `${[...title, ...renderParagraph(cleanLine(reason), "", options)].join("\n")}\n`;
  }
  const answer = [
    ...renderParagraph(cleanLine(result), "", options).map((line) => paint(line, "strong")),
    ...renderParagraph(cleanLine(more.join(" ")), "", options),
  ];
  const methods = renderParagraph(describeTests(), "", options).map((line) => paint(line, "muted"));
  return `${answer.join("\n")}\n\n${renderBars(chart, options)}\n${methods.join("\n")}\n`;
}
