/** Draws bars and intervals as a table in groups, with all drawings on a common scale. */
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
import { measureTable, renderTable } from "../table.ts";
import { defineColumns } from "../tables/columns.ts";
import { cleanLine } from "../text.ts";
import { type Answer, renderAnswer } from "./answers.ts";
import { formatValue, formatValueTitle } from "./values.ts";

/** Width of a bar on each side of the zero line. At a terminal, bars fill the space next to the text. */
const BAR_WIDTH = { min: 4, default: 8, max: 16 } as const;
/** Width of an interval scale in a terminal of the standard width. Wider terminals have wider scales. */
const SCALE_WIDTH = 24;
const STANDARD_WIDTH = 80;
const MIN_LABEL_WIDTH = 16;

const styles: Readonly<Record<ChartMood, Style>> = { good: "good", bad: "bad", neutral: "muted" };
const arrows: Readonly<Record<ChartMood, string>> = { good: "▼ ", bad: "▲ ", neutral: "= " };

/** The bars by group, ending in a line feed. */
export function renderBars(chart: Bars, options: RenderOptions): string {
  const max = findMaxMagnitude(chart);
  const textColumns = buildTextColumns<BarRow>(chart, options);
  const { columns, barWidth } = fitBars(chart, textColumns, options);
  const bar: TableColumn<BarRow> = {
    key: "bar",
    header: "",
    value: ({ value }) => (value === null ? "" : drawDivergingBar(max === 0 ? 0 : value / max, barWidth)),
    style: ({ mood }) => styles[mood],
  };
  const formatTitle = ({ title, mood, rows }: Bars["groups"][number]) => {
    const arrow = options.plain ? "" : arrows[mood];
    return painter(options)(`${arrow}${cleanLine(title)} (${rows.length})`, styles[mood]);
  };
  const drawn = barWidth === 0 ? [...columns.texts, ...columns.codes] : insertDrawing(columns, bar, options);
  return drawGroups(chart, drawn, formatTitle, options);
}

/**
 * The column of codes is left out if it does not fit next to the narrowest bars. The bars get the remaining space, and
 * are left out rather than truncating the labels.
 */
function fitBars(
  chart: Bars,
  { texts, codes }: TextColumns<BarRow>,
  options: RenderOptions,
): { readonly columns: TextColumns<BarRow>; readonly barWidth: number } {
  if (!options.tty || options.wide) return { columns: { texts, codes }, barWidth: BAR_WIDTH.default };
  const rows = chart.groups.flatMap((group) => group.rows);
  const available = (columns: readonly TableColumn<BarRow>[]) =>
    Math.floor((options.width - measureTable(rows, columns, options) - BAR_OVERHEAD) / 2);
  const withCodes = available([...texts, ...codes]);
  const fits = options.plain || withCodes >= BAR_WIDTH.min;
  const barWidth = fits ? withCodes : available(texts);
  return {
    columns: { texts, codes: fits ? codes : [] },
    barWidth: barWidth < BAR_WIDTH.min ? 0 : Math.min(BAR_WIDTH.max, barWidth),
  };
}

/** The intervals by group on a scale from 0, ending in a line feed. An answer replaces the title. */
export function renderIntervals(chart: Intervals, options: RenderOptions, answer?: Answer): string {
  const max = findMaxBound(chart);
  const width = widenScale(options);
  const scale: TableColumn<IntervalRow> = {
    key: "interval",
    header: `SCALE 0–${formatValue(max, chart.unit, options)}`,
    value: (row) => (row.value === null ? "" : drawInterval(row, max, width)),
  };
  const formatTitle = ({ title }: Intervals["groups"][number]) =>
    painter(options)(cleanLine(title), "strong");
  const textColumns = buildTextColumns<IntervalRow>(chart, options);
  // Without data there is no scale to draw on.
  const columns =
    max === 0 ? [...textColumns.texts, ...textColumns.codes] : insertDrawing(textColumns, scale, options);
  return drawGroups(chart, columns, formatTitle, options, answer);
}

/** Draws all groups as one table, so that they share columns, with the group titles as headings. */
function drawGroups<T>(
  chart: Pick<Bars, "title" | "note"> & { readonly groups: readonly RowGroup<T>[] },
  columns: readonly TableColumn<T>[],
  formatTitle: (group: RowGroup<T>) => string,
  options: RenderOptions,
  answer?: Answer,
): string {
  const rows: T[] = [];
  const headings = new Map<number, string>();
  for (const group of chart.groups) {
    if (group.rows.length === 0) continue;
    headings.set(rows.length, formatTitle(group));
    rows.push(...group.rows);
  }
  const head = renderHead(chart, options, answer);
  return rows.length === 0 ? head : `${head}\n${renderTable(rows, columns, options, headings)}`;
}

/** A scale in a wide terminal is up to twice as wide. */
const widenScale = ({ tty, width }: RenderOptions) =>
  tty
    ? Math.max(SCALE_WIDTH, Math.min(SCALE_WIDTH * 2, SCALE_WIDTH + Math.floor((width - STANDARD_WIDTH) / 3)))
    : SCALE_WIDTH;

function renderHead(
  { title, note }: Pick<Bars, "title" | "note">,
  options: RenderOptions,
  answer?: Answer,
): string {
  const paint = painter(options);
  const heading = answer
    ? renderAnswer(answer, options)
    : renderParagraph(cleanLine(title), "", options).map((line) => paint(line, "strong"));
  const notes = renderParagraph(cleanLine(note), "", options).map((line) => paint(line, "muted"));
  return `${[...heading, ...notes].join("\n")}\n`;
}

/** The columns before and after the drawing. */
interface TextColumns<T> {
  readonly texts: readonly TableColumn<T>[];
  readonly codes: readonly TableColumn<T>[];
}

/** The gap before a bar and its zero line. */
const BAR_OVERHEAD = 3;

/** The drawing between the texts and the codes; left out for screen readers. */
function insertDrawing<T>(
  { texts, codes }: TextColumns<T>,
  drawing: TableColumn<T>,
  { plain }: RenderOptions,
): TableColumn<T>[] {
  return [...texts, ...(plain ? [] : [drawing]), ...codes];
}

/** The label, the value with its interval and the details, and the codes. */
function buildTextColumns<T extends BarRow | IntervalRow>(
  chart: Bars | Intervals,
  options: RenderOptions,
): TextColumns<T> {
  const texts: TableColumn<T>[] = [
    ...defineColumns<T>({
      label: { header: chart.labels.toUpperCase(), shrink: 1, wrap: true, minWidth: MIN_LABEL_WIDTH },
      value: {
        header: formatValueTitle(chart).toUpperCase(),
        value: (row) => formatRowValue(row, chart, options),
        align: "right",
      },
    }),
    ...chart.columns.map(
      (title, index): TableColumn<T> => ({
        key: `details.${index}`,
        // Only the first word: the rest may be the version of a build.
        header: title.replace(/^\S+/, (word) => word.toUpperCase()),
        align: "right",
        value: ({ details }) => details[index] ?? null,
      }),
    ),
  ];
  const codes: TableColumn<T>[] =
    chart.codes === undefined
      ? []
      : [{ key: "code", header: chart.codes.toUpperCase(), value: ({ code }) => code ?? null }];
  return { texts, codes };
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

/** A bar for a value from -1 to 1 from the zero line in the middle, in half columns. Any value except 0 is visible. */
export function drawDivergingBar(value: number, side: number): string {
  const halves = value === 0 ? 0 : Math.max(1, Math.min(side * 2, Math.round(Math.abs(value) * side * 2)));
  const whole = "█".repeat(Math.floor(halves / 2));
  if (value < 0) return `${(halves % 2 === 1 ? `▐${whole}` : whole).padStart(side)}│`;
  return `${" ".repeat(side)}│${whole}${halves % 2 === 1 ? "▌" : ""}`;
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
