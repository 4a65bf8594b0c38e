/** The terminal view of a funnel: its steps by group, the largest loss in words, and what is left out. */
import { describeOmitted, funnelChart } from "../../../charts/funnel.ts";
import type { Funnel, FunnelStep } from "../../../contract/funnels.ts";
import { formatCount } from "../../../render/numbers.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { funnelColumns, METHOD } from "../../../render/tables/funnel.ts";
import { cleanLine } from "../../../render/text.ts";

/** Renders the view; it ends in a line feed. */
export function funnelView(data: Funnel, options: RenderOptions): string {
  const paint = painter(options);
  const render = (text: string, style: "strong" | "muted") =>
    renderParagraph(cleanLine(text), "", options).map((line) => paint(line, style));
  const rows: FunnelStep[] = [];
  const headings = new Map<number, string>();
  for (const { key, testers, steps } of data.groups) {
    if (key !== null && key !== undefined)
      headings.set(rows.length, paint(cleanLine(`${key} (${formatCount(testers, "tester")})`), "strong"));
    rows.push(...steps);
  }
  const lines = [
    ...render(funnelChart(data).title, "strong"),
    "",
    renderTable(rows, funnelColumns, options, headings).trimEnd(),
    ...render([METHOD, ...describeOmitted(data)].join(" "), "muted"),
  ];
  return `${lines.join("\n")}\n`;
}
