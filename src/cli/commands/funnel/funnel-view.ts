/** The terminal view of a funnel: its steps by group, the largest loss in words, and what is left out. */
import { describeOmitted } from "../../../charts/funnel.ts";
import { describeWhere } from "../../../contract/fields.ts";
import type { Funnel, FunnelStep } from "../../../contract/funnels.ts";
import { type Answer, renderAnswer } from "../../../render/charts/answers.ts";
import { formatCount } from "../../../render/numbers.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { funnelColumns, METHOD } from "../../../render/tables/funnel.ts";
import { cleanLine } from "../../../render/text.ts";

export function funnelView(data: Funnel, options: RenderOptions): string {
  const paint = painter(options);
  const rows: FunnelStep[] = [];
  const headings = new Map<number, string>();
  for (const { key, testers, steps } of data.groups) {
    if (key !== null && key !== undefined)
      headings.set(rows.length, paint(cleanLine(`${key} (${formatCount(testers, "tester")})`), "strong"));
    rows.push(...steps);
  }
  const lines = [
    ...renderAnswer(answerFunnel(data), options),
    "",
    renderTable(rows, funnelColumns, options, headings).trimEnd(),
    ...renderParagraph(cleanLine([METHOD, ...describeOmitted(data)].join(" ")), "", options, "muted"),
  ];
  return `${lines.join("\n")}\n`;
}

/** How many reached the last step, and before which step most were lost. */
function answerFunnel(data: Funnel): Answer {
  const where = describeWhere(data.game.slug, data.environment);
  const [group, ...others] = data.groups;
  const [first, last] = [group?.steps[0], group?.steps.at(-1)];
  if (group === undefined || first === undefined || last === undefined || others.length > 0)
    return { text: `Funnel of ${formatCount(data.testers.total, "tester")}`, where };
  const most = group.steps.reduce((worst, step) => (step.lost > worst.lost ? step : worst), first);
  const lost = most.lost === 0 ? "" : `, ${most.lost} were lost before ${most === last ? "it" : most.step}`;
  return {
    text: `${last.testers} of ${formatCount(data.testers.total, "tester")} reached ${last.step}${lost}`,
    where,
  };
}
