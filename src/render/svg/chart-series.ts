/** Draws a series as columns over time, as SVG. */
import { findMaxValue, type Series, type SeriesPoint } from "../../charts/charts.ts";
import { formatValue, pickTicks } from "../charts/values.ts";
import { cleanLine } from "../text.ts";
import { type ChartInk, estimateWidth, filled, getMoodInk, stroked, svgText } from "./chart-theme.ts";
import { type Child, el, fragment, type Markup } from "./element.ts";

/** Heights of the columns in a normal chart, and in one without a note, which continues the chart above it. */
const HEIGHT = 180;
const LOW_HEIGHT = 56;
/** The same for all charts, so that equal days are aligned. */
const GUTTER = 60;
const SIZE = 12;
const FOR_PEOPLE = { tty: true };

export interface SvgDrawing {
  readonly markup: Markup;
  readonly height: number;
}

/** The columns with their axes, `width` wide, from y 0 down. */
export function seriesSvg(series: Series, width: number): SvgDrawing {
  const height = series.note === "" ? LOW_HEIGHT : HEIGHT;
  const most = findMaxValue(series);
  const isLow = series.note === "";
  const ticks = isLow ? [0, most] : pickTicks(series, height / 45);
  const labels = ticks.map((value) => formatValue(value, series.unit, FOR_PEOPLE));
  const left = Math.max(GUTTER, ...labels.map((label) => estimateWidth(label, SIZE) + 10));
  const top = SIZE / 2;
  const base = top + height;
  const yOf = (value: number) => base - (most === 0 ? 0 : (value / most) * height);
  const grid = ticks.map((value, at) =>
    fragment(
      el("line", {
        x1: left,
        x2: width,
        y1: yOf(value),
        y2: yOf(value),
        ...stroked(value === 0 ? "muted" : "grid"),
      }),
      svgText(labels[at] ?? "", left - 6, yOf(value) + SIZE / 3, { size: SIZE, ink: "muted", anchor: "end" }),
    ),
  );
  const step = (width - left) / Math.max(1, series.points.length);
  const columns = series.points.map((point, at) =>
    drawColumn(series, point, { x: left + at * step, step, base, y: yOf(point.value ?? 0) }),
  );
  if (isLow) return { markup: fragment(grid, columns), height: base + 4 };
  const legend = formatLegend(series);
  const under = base + SIZE * 1.7;
  const notes =
    legend === "" ? null : svgText(legend, left, under + SIZE * 1.6, { size: SIZE, ink: "muted" });
  return {
    markup: fragment(grid, columns, xLabels(series.points, { left, step, width, y: under }), notes),
    height: under + (notes === null ? 6 : SIZE * 1.6 + 6),
  };
}

interface ColumnBox {
  readonly x: number;
  readonly step: number;
  readonly base: number;
  readonly y: number;
}

function drawColumn({ unit, missing }: Series, point: SeriesPoint, { x, step, base, y }: ColumnBox): Markup {
  const { value, open, mood, label } = point;
  const tooltip = el(
    "title",
    `${label}: ${value === null ? missing : formatValue(value, unit, FOR_PEOPLE)}${open ? ", not over yet" : ""}`,
  );
  if (value === null)
    return el("circle", { cx: x + step / 2, cy: base - 4, r: 1.6, ...filled("muted") }, tooltip);
  const gap = Math.min(6, step * 0.2);
  const wide = Math.min(64, step - gap);
  const place = { x: x + (step - wide) / 2, y: Math.min(y, value > 0 ? base - 1 : base), width: wide };
  const rect = { ...place, height: base - place.y, ...filled(getMoodInk(mood)) };
  if (!open) return el("rect", rect, tooltip);
  // Pale with an outline, so that an incomplete period does not look like a drop.
  return el("rect", { ...rect, ...pale(getMoodInk(mood)) }, tooltip);
}

const pale = (ink: ChartInk) => ({
  ...stroked(ink),
  ...filled(ink),
  class: `pt-${ink} pt-${ink}-line`,
  "fill-opacity": 0.3,
  "stroke-dasharray": "3 2",
});

/** As many labels as fit with a gap between them, always including the first. */
function xLabels(
  points: readonly SeriesPoint[],
  {
    left,
    step,
    width,
    y,
  }: { readonly left: number; readonly step: number; readonly width: number; readonly y: number },
): Child {
  let taken = Number.NEGATIVE_INFINITY;
  return points.map(({ label }, at) => {
    const text = cleanLine(label);
    const wide = estimateWidth(text, SIZE);
    const from = Math.max(left, left + (at + 0.5) * step - wide / 2);
    if (at > 0 && (from < taken + SIZE || from + wide > width)) return null;
    taken = from + wide;
    return svgText(text, from, y, { size: SIZE, ink: "muted" });
  });
}

function formatLegend({ points, missing }: Series): string {
  const marks = [
    ...(points.some(({ value }) => value === null) ? [`Dot: ${missing}.`] : []),
    ...(points.some(({ open }) => open === true) ? ["Pale and dashed: not over yet."] : []),
    ...(points.some(({ mood }) => mood === "bad" || mood === "good")
      ? ["Orange: has friction. Blue: has only praise."]
      : []),
  ];
  return marks.join("  ");
}
