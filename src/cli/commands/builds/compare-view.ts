/** The view of a friction diff: the answer in words, the changes with their tests, and the methods. */

import { answerComparison } from "../../../charts/comparison-answer.ts";
import { describeNoTesters, describeTests, frictionChart, frictionView } from "../../../charts/friction.ts";
import type { TestedComparison } from "../../../charts/tested-changes.ts";
import type { BuildComparison } from "../../../contract/builds.ts";
import { renderBars } from "../../../render/charts/rows.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { cleanLine } from "../../../render/text.ts";

/** The whole view, ending in a line feed. */
export function compareView(data: BuildComparison, tested: TestedComparison, options: RenderOptions): string {
  const view = frictionView(data, tested);
  const chart = frictionChart(view);
  const paint = painter(options);
  const noTesters = describeNoTesters(view);
  const [result = "", ...more] = answerComparison(data, tested).sentences;
  if (noTesters !== null || data.diff.changes.length === 0) {
    const title = renderParagraph(cleanLine(chart.title), "", options).map((line) => paint(line, "strong"));
    const reason = noTesters ?? [result, ...more].join(" ");
    return `${[...title, ...renderParagraph(cleanLine(reason), "", options)].join("\n")}\n`;
  }
  const answer = [
    ...renderParagraph(cleanLine(result), "", options).map((line) => paint(line, "strong")),
    ...renderParagraph(cleanLine(more.join(" ")), "", options),
  ];
  const methods = renderParagraph(describeTests(tested.changes), "", options).map((line) =>
    paint(line, "muted"),
  );
  return `${answer.join("\n")}\n\n${renderBars(chart, options)}\n${methods.join("\n")}\n`;
}
