/** Draws intervals as a table in groups, on a common scale. */

import { findMaxBound, type IntervalRow, type Intervals } from "../../charts/charts.ts";
import type { TableColumn } from "../columns.ts";
import type { RenderOptions } from "../options.ts";
import { paintParagraph } from "../paragraph.ts";
import { painter } from "../style.ts";
import { renderTable } from "../table.ts";
import { defineColumns } from "../tables/columns.ts";
import { cleanLine } from "../text.ts";
import { type Answer, renderAnswer } from "./answers.ts";
import { formatValue, formatValueTitle } from "./values.ts";

/** Width of the scale in a terminal of the standard width. Wider terminals have wider scales. */
const SCALE_WIDTH = 24;
const STANDARD_WIDTH = 80;
const MIN_LABEL_WIDTH = 16;

/** The intervals by group on a scale from 0, ending in a line feed. An answer replaces the title. */
export function renderIntervals(chart: Intervals, options: RenderOptions, answer?: Answer): string {
  const { title, note, groups } = chart;
  const heading = answer ? renderAnswer(answer, options) : paintParagraph(title, "strong", options);
  const head = `${[...heading, ...paintParagraph(note, "muted", options)].join("\n")}\n`;
  const rows: IntervalRow[] = [];
  const headings = new Map<number, string>();
  for (const group of groups) {
    if (group.rows.length === 0) continue;
    headings.set(rows.length, painter(options)(cleanLine(group.title), "strong"));
    rows.push(...group.rows);
  }
  // All groups are one table, so that they share columns.
  return rows.length === 0
    ? head
    : `${head}\n${renderTable(rows, buildColumns(chart, options), options, headings)}`;
}

/** The label, the value with its interval, the details, and the scale, which is left out for screen readers. */
function buildColumns(chart: Intervals, options: RenderOptions): TableColumn<IntervalRow>[] {
  const max = findMaxBound(chart);
  const width = widenScale(options);
  return [
    ...defineColumns<IntervalRow>({
      label: { header: chart.labels.toUpperCase(), shrink: 1, wrap: true, minWidth: MIN_LABEL_WIDTH },
      value: {
        header: formatValueTitle(chart).toUpperCase(),
        value: (row) => formatRowValue(row, chart, options),
        align: "right",
      },
    }),
    ...chart.columns.map(
      (title, index): TableColumn<IntervalRow> => ({
        key: `details.${index}`,
        // Only the first word: the rest may be the version of a build.
        header: title.replace(/^\S+/, (word) => word.toUpperCase()),
        align: "right",
        value: ({ details }) => details[index] ?? null,
      }),
    ),
    // Without data there is no scale to draw on.
    ...(max === 0 || options.plain
      ? []
      : defineColumns<IntervalRow>({
          interval: {
            header: `SCALE 0–${formatValue(max, chart.unit, options)}`,
            value: (row) => (row.value === null ? "" : drawInterval(row, max, width)),
          },
        })),
  ];
}

/** A scale in a wide terminal is up to twice as wide. */
const widenScale = ({ tty, width }: RenderOptions) =>
  tty
    ? Math.max(SCALE_WIDTH, Math.min(SCALE_WIDTH * 2, SCALE_WIDTH + Math.floor((width - STANDARD_WIDTH) / 3)))
    : SCALE_WIDTH;

function formatRowValue(
  { value, interval }: IntervalRow,
  { unit }: Intervals,
  options: RenderOptions,
): string | null {
  if (value === null) return null;
  const text = formatValue(value, unit, options);
  if (!interval) return text;
  return `${text} (${formatValue(interval.low, unit, options)} to ${formatValue(interval.high, unit, options)})`;
}

/** `──●──` from the lower to the upper bound. */
function drawInterval({ value, interval }: IntervalRow, max: number, width: number): string {
  const toColumn = (share: number) =>
    Math.min(width - 1, Math.max(0, Math.round((share / max) * (width - 1))));
  const middle = toColumn(value ?? 0);
  const [low, high] = interval ? [toColumn(interval.low), toColumn(interval.high)] : [middle, middle];
  const cells = Array.from({ length: width }, (_, column) => {
    if (column === middle) return "●";
    return column >= low && column <= high ? "─" : " ";
  });
  return cells.join("").trimEnd();
}
