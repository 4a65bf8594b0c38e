/** Draws bars and intervals as a table in groups, each value with its place on a common scale. */
import {
  type BarRow,
  type Bars,
  type ChartMood,
  findMaxBound,
  findMaxMagnitude,
  type IntervalRow,
  type Intervals,
  type RowGroup,
} from "../../charts/charts.ts";
import type { TableColumn } from "../columns.ts";
import type { RenderOptions } from "../options.ts";
import { renderParagraph } from "../paragraph.ts";
import { painter, type Style } from "../style.ts";
import { renderTable } from "../table.ts";
import { cleanLine } from "../text.ts";
import { formatValue } from "./values.ts";

/** Columns of a bar to one side of 0, and of an interval's scale, in a window of 80 columns. */
const BAR_COLUMNS = 8;
const SCALE_COLUMNS = 24;
const STANDARD_WIDTH = 80;

const styles: Readonly<Record<ChartMood, Style>> = { good: "good", bad: "bad", neutral: "muted" };
const arrows: Readonly<Record<ChartMood, string>> = { good: "▼ ", bad: "▲ ", neutral: "= " };

/** The bars group by group, ending in a line feed. */
export function renderBars(chart: Bars, options: RenderOptions): string {
  const reach = findMaxMagnitude(chart);
  const side = widenColumns(BAR_COLUMNS, options);
  const drawn: TableColumn<BarRow> = {
    key: "bar",
    header: "",
    value: ({ value }) => drawDivergingBar(reach === 0 ? 0 : value / reach, side),
    style: ({ mood }) => styles[mood],
  };
  const titleOf = ({ title, mood, rows }: Bars["groups"][number]) => {
    const arrow = options.plain ? "" : arrows[mood];
    return painter(options)(`${arrow}${cleanLine(title)} (${rows.length})`, styles[mood]);
  };
  return drawGroups(chart, buildColumns<BarRow>(chart, drawn, options), titleOf, options);
}

/** The intervals group by group on one scale from 0, ending in a line feed. */
export function renderIntervals(chart: Intervals, options: RenderOptions): string {
  const farthest = findMaxBound(chart);
  const width = widenColumns(SCALE_COLUMNS, options);
  const drawn: TableColumn<IntervalRow> = {
    key: "interval",
    header: `0 to ${formatValue(farthest, chart.unit, options)}`,
    value: (row) => (row.value === null || farthest === 0 ? "" : drawInterval(row, farthest, width)),
  };
  const titleOf = ({ title }: Intervals["groups"][number]) => painter(options)(cleanLine(title), "strong");
  return drawGroups(chart, buildColumns<IntervalRow>(chart, drawn, options), titleOf, options);
}

/** One table, so that what is drawn stands on one scale, with the groups' titles in it. */
function drawGroups<T>(
  chart: Pick<Bars, "title" | "note"> & { readonly groups: readonly RowGroup<T>[] },
  columns: readonly TableColumn<T>[],
  titleOf: (group: RowGroup<T>) => string,
  options: RenderOptions,
): string {
  const rows: T[] = [];
  const headings = new Map<number, string>();
  for (const group of chart.groups) {
    if (group.rows.length === 0) continue;
    headings.set(rows.length, titleOf(group));
    rows.push(...group.rows);
  }
  const head = renderHead(chart, options);
  return rows.length === 0 ? head : `${head}\n${renderTable(rows, columns, options, headings)}`;
}

/** More of a wide window, up to twice as much. */
const widenColumns = (columns: number, { tty, width }: RenderOptions) =>
  tty
    ? Math.max(columns, Math.min(columns * 2, columns + Math.floor((width - STANDARD_WIDTH) / 3)))
    : columns;

function renderHead({ title, note }: Pick<Bars, "title" | "note">, options: RenderOptions): string {
  const paint = painter(options);
  const heading = renderParagraph(cleanLine(title), "", options).map((line) => paint(line, "strong"));
  const notes = renderParagraph(cleanLine(note), "", options).map((line) => paint(line, "muted"));
  return `${[...heading, ...notes].join("\n")}\n`;
}

/** The label, the value with its interval, the details, and the drawing, which a screen reader is spared. */
function buildColumns<T extends BarRow | IntervalRow>(
  chart: Bars | Intervals,
  drawn: TableColumn<T>,
  options: RenderOptions,
): TableColumn<T>[] {
  const header = chart.unit === "points" ? "POINTS" : "SHARE";
  const columns: TableColumn<T>[] = [
    { key: "label", header: chart.labels.toUpperCase(), value: ({ label }) => label, shrink: 1 },
    { key: "value", header, align: "right", value: (row) => formatRowValue(row, chart, options) },
    ...chart.columns.map(
      (title, at): TableColumn<T> => ({
        key: `details.${at}`,
        // The first word alone: what follows is a build's name.
        header: title.replace(/^\S+/, (word) => word.toUpperCase()),
        align: "right",
        value: ({ details }) => details[at] ?? null,
      }),
    ),
  ];
  return options.plain ? columns : [...columns, drawn];
}

function formatRowValue(
  row: BarRow | IntervalRow,
  { unit }: Bars | Intervals,
  options: RenderOptions,
): string | null {
  if (row.value === null) return null;
  const value = formatValue(row.value, unit, options);
  const interval = "interval" in row ? row.interval : null;
  if (!interval) return value;
  return `${value} (${formatValue(interval.low, unit, options)} to ${formatValue(interval.high, unit, options)})`;
}

/** A bar of -1 to 1 from the line in the middle, halves of a column drawn; a value that is not 0 always shows. */
export function drawDivergingBar(value: number, side: number): string {
  const halves = value === 0 ? 0 : Math.max(1, Math.min(side * 2, Math.round(Math.abs(value) * side * 2)));
  const whole = "█".repeat(Math.floor(halves / 2));
  if (value < 0) return `${(halves % 2 === 1 ? `▐${whole}` : whole).padStart(side)}│`;
  return `${" ".repeat(side)}│${whole}${halves % 2 === 1 ? "▌" : ""}`;
}

/** `──●──` from the lower to the upper bound. */
function drawInterval({ value, interval }: IntervalRow, farthest: number, width: number): string {
  const at = (share: number) =>
    Math.min(width - 1, Math.max(0, Math.round((share / farthest) * (width - 1))));
  const middle = at(value ?? 0);
  const [low, high] = interval ? [at(interval.low), at(interval.high)] : [middle, middle];
  const cells = Array.from({ length: width }, (_, place) => {
    if (place === middle) return "●";
    return place >= low && place <= high ? "─" : " ";
  });
  return cells.join("").trimEnd();
}
