/** Draws a series as columns or a sparkline; for screen readers as a sentence and a table. */
import {
  type ChartMood,
  downsample,
  findMaxValue,
  type Series,
  type SeriesPoint,
} from "../../charts/charts.ts";
import type { RenderOptions } from "../options.ts";
import { paintParagraph, renderParagraph } from "../paragraph.ts";
import { chalkFor, painter, type Style } from "../style.ts";
import { renderTable } from "../table.ts";
import { defineColumns } from "../tables/columns.ts";
import { cleanLine, displayWidth, pad } from "../text.ts";
import { describeSeries, formatValue, pickTicks } from "./values.ts";

/** Height of the columns in lines. */
const HEIGHT = 8;
const MIN_WIDTH = 16;
/** Maximum width of a column without and with its gap. */
const MAX_BAR_WIDTH = 6;
const MAX_COLUMN_WIDTH = 12;
const EIGHTHS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;
const FULL = "█";
/** Fills the column of a period that is not over yet. */
const OPEN = "░";
/** Marks a point without a value. */
const MISSING = "·";

const styles: Readonly<Record<ChartMood, Style | null>> = { good: "good", bad: "bad", neutral: null };

/** The title, the note, the columns with their axes, and a legend; ends in a line feed. */
export function renderSeries(series: Series, options: RenderOptions): string {
  const head = renderHead(series, options);
  if (series.points.length === 0) return head;
  if (options.plain) {
    const text = renderParagraph(cleanLine(describeSeries(series)), "", options);
    return [head, ...text, renderValueTable(series, options)].join("\n");
  }
  const max = findMaxValue(series);
  const labels = new Map(
    pickTicks(series, HEIGHT / 2).map((value) => [
      Math.min(HEIGHT, Math.round((value / Math.max(max, Number.MIN_VALUE)) * HEIGHT)),
      formatValue(value, series.unit, options),
    ]),
  );
  const gutter = Math.max(...[...labels.values()].map(displayWidth));
  const space = Math.max(MIN_WIDTH, options.width - gutter - 2);
  const { series: drawn, each } = downsample(series, space);
  const width = Math.min(MAX_COLUMN_WIDTH, Math.floor(space / drawn.points.length));
  const paint = painter(options);
  const lines = Array.from({ length: HEIGHT }, (_, at) => {
    const level = HEIGHT - at;
    const label = labels.get(level) ?? "";
    const axis = paint(`${pad(label, gutter, "right")} ${label === "" ? "│" : "┤"}`, "muted");
    return `${axis}${drawn.points.map((point) => drawColumnCell(point, level, max, width, options)).join("")}`.trimEnd();
  });
  const zero = paint(
    `${pad(labels.get(0) ?? "", gutter, "right")} └${"─".repeat(width * drawn.points.length)}`,
    "muted",
  );
  const under = paint(xLabels(drawn.points, width, space, gutter + 2), "muted");
  const notes = buildLegend(drawn, each).flatMap((line) => paintParagraph(line, "muted", options));
  return `${[head, ...lines, zero, under, ...notes].join("\n")}\n`;
}

/** The number of points in each character of a sparkline. A character shows their mean. */
export const countPointsPerCharacter = (series: Series, width: number) => downsample(series, width).each;

/** The series in one line of at most `width` characters, one per point: `·` without a value, `_` for 0. */
export function sparkline(series: Series, width: number, { plain }: Pick<RenderOptions, "plain">): string {
  if (plain) return "";
  const { series: drawn } = downsample(series, width);
  const max = findMaxValue(drawn);
  return drawn.points
    .map(({ value }) => {
      if (value === null) return MISSING;
      if (value === 0) return "_";
      return EIGHTHS[Math.max(1, Math.round((value / max) * 8)) - 1] ?? FULL;
    })
    .join("");
}

function renderHead({ title, note }: Series, options: RenderOptions): string {
  const notes = note === "" ? [] : paintParagraph(note, "muted", options);
  return `${[...paintParagraph(title, "strong", options), ...notes].join("\n")}\n`;
}

/** One line of a column: `level` counts from 1 at the bottom. */
function drawColumnCell(
  { value, open, mood = "neutral" }: SeriesPoint,
  level: number,
  max: number,
  width: number,
  options: RenderOptions,
): string {
  const paint = painter(options);
  const bare = width > 2 ? Math.min(MAX_BAR_WIDTH, width - 1) : width;
  const gap = " ".repeat(width - bare);
  const blank = " ".repeat(width);
  if (value === null) return level === 1 ? paint(pad(MISSING, width), "muted") : blank;
  if (value === 0 || max === 0) return blank;
  const eighths = Math.max(1, Math.round((value / max) * HEIGHT * 8));
  const here = Math.min(8, eighths - (level - 1) * 8);
  if (here <= 0) return blank;
  const drawn = (open ? OPEN : (EIGHTHS[here - 1] ?? FULL)).repeat(bare);
  const style = styles[mood];
  return (style ? paint(drawn, style) : chalkFor(options).cyan(drawn)) + gap;
}

/** As many labels as fit with a gap between them, always including the first. */
function xLabels(points: readonly SeriesPoint[], width: number, space: number, start: number): string {
  let line = " ".repeat(start);
  const end = start + Math.max(space, width * points.length);
  for (const [at, { label }] of points.entries()) {
    const from = start + at * width;
    const text = cleanLine(label);
    if (at > 0 && (from < displayWidth(line) + 2 || from + displayWidth(text) > end)) continue;
    line = pad(line, from) + text;
  }
  return line;
}

function buildLegend({ points, missing, each: name }: Series, each: number): string[] {
  const has = (is: (point: SeriesPoint) => boolean) => points.some(is);
  const marks = [
    ...(has(({ value }) => value === null) ? [`${MISSING} ${missing}`] : []),
    ...(has(({ open }) => open === true) ? [`${OPEN} not over yet`] : []),
  ];
  const merged = each > 1 ? [`Each column is the mean of ${each} ${name}s.`] : [];
  return [...(marks.length > 0 ? [marks.join("   ")] : []), ...merged];
}

function renderValueTable({ points, each, unit, missing }: Series, options: RenderOptions): string {
  const columns = defineColumns<SeriesPoint>({
    label: { header: each.toUpperCase() },
    value: {
      header: unit === "count" ? "COUNT" : "LENGTH",
      value: ({ value }) => (value === null ? missing : formatValue(value, unit, options)),
      align: "right",
    },
    open: { header: "", value: ({ open }) => (open ? "not over yet" : "") },
  });
  return renderTable(points, columns, options);
}
