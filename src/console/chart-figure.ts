/** Charts of pages: pictures on wide screens, and on narrow ones the same names and numbers with small pictures beside them. */

import {
  type BarRow,
  type Chart,
  findMaxBound,
  findMaxMagnitude,
  type IntervalRow,
  type RowGroup,
} from "../charts/charts.ts";
import { formatValue, formatValueTitle } from "../render/charts/values.ts";
import type { TableColumn } from "../render/columns.ts";
import { chartSvg } from "../render/svg/charts.ts";
import { el, fragment, type Markup } from "../render/svg/element.ts";
import { capitalize } from "../shared/words.ts";
import { drawing, noteText } from "./details.ts";
import { type CellBar, dataTable } from "./table.ts";

/** The widths of a picture on wide and on narrow screens, pixels. */
const WIDE = 720;
const NARROW = 340;

/** A chart with its title. `label` names it for screen readers. */
export function chartFigure(label: string, chart: Chart): Markup {
  return fragment(
    el("div", { class: "wide-only" }, drawing(label, chartSvg(chart, WIDE))),
    el(
      "div",
      { class: "narrow-only" },
      chart.kind === "series" ? drawing(label, chartSvg(chart, NARROW)) : rowTables(chart),
    ),
  );
}

type RowChart = Exclude<Chart, { kind: "series" }>;
type Row = BarRow | IntervalRow;

/** The rows of each group as a table. */
function rowTables(chart: RowChart): Markup {
  const max = chart.kind === "bars" ? findMaxMagnitude(chart) : findMaxBound(chart);
  return fragment(
    el("p", { class: "strong" }, chart.title),
    noteText(chart.note),
    (chart.groups as readonly RowGroup<Row>[]).map(({ title, rows }) => [
      chart.groups.length > 1 && el("p", title),
      dataTable(rows, toColumns(chart), {
        caption: `${chart.title}: ${title}`,
        bars: { value: (row) => toBar(row, max) },
      }),
    ]),
  );
}

const toColumns = (chart: RowChart): TableColumn<Row>[] => [
  { key: "label", header: chart.labels, value: ({ label }) => label },
  {
    ...{ key: "value", header: formatValueTitle(chart), align: "right" },
    value: ({ value }) => value,
    format: (value) => formatValue(Number(value), chart.unit, { tty: true }),
  },
  ...chart.columns.map(
    (title, at): TableColumn<Row> => ({
      ...{ key: `details.${at}`, header: capitalize(title), align: "right" },
      value: ({ details }) => details[at] ?? null,
    }),
  ),
];

function toBar(row: Row, max: number): CellBar | null {
  const { value } = row;
  if (value === null || max === 0) return null;
  if (!("interval" in row)) return { change: value / max, mood: row.mood };
  const { low, high } = row.interval ?? { low: value, high: value };
  return { value: value / max, low: low / max, high: high / max };
}
