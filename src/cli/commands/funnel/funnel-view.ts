/** The terminal view of a funnel: its steps by group, the largest loss in words, and what is left out. */
import { describeOmitted, funnelChart } from "../../../charts/funnel.ts";
import type { Funnel, FunnelStep } from "../../../contract/funnels.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { formatCount, formatShare } from "../../../render/numbers.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { formatShareInterval } from "../../../render/tables/share-text.ts";
import { cleanLine } from "../../../render/text.ts";
import { formatDuration } from "../../../render/time.ts";

const columns: readonly TableColumn<FunnelStep>[] = [
  { key: "step", header: "STEP", value: ({ step }) => step, shrink: 1 },
  { key: "testers", header: "TESTERS", value: ({ testers }) => testers },
  { key: "lost", header: "LOST", value: ({ lost }) => lost },
  {
    key: "ofPrevious",
    header: "OF PREVIOUS",
    align: "right",
    value: ({ ofPrevious }) => ofPrevious ?? null,
    format: (share, _options, { ofPreviousInterval }) =>
      `${formatShare(Number(share))} (${formatShareInterval(ofPreviousInterval)})`,
  },
  {
    key: "ofFirst",
    header: "OF FIRST",
    align: "right",
    value: ({ ofFirst }) => ofFirst ?? null,
    format: (share, _options, { ofFirstInterval }) =>
      `${formatShare(Number(share))} (${formatShareInterval(ofFirstInterval)})`,
  },
  {
    key: "medianSec",
    header: "TIME",
    align: "right",
    value: ({ medianSec }) => medianSec ?? null,
    format: (seconds) => formatDuration(Number(seconds)),
  },
];

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
    renderTable(rows, columns, options, headings).trimEnd(),
    ...render([METHOD, ...describeOmitted(data)].join(" "), "muted"),
  ];
  return `${lines.join("\n")}\n`;
}

const METHOD =
  "Intervals: 95%. Of the first step, OF PREVIOUS is its share of all testers. TIME: median since the previous step.";
