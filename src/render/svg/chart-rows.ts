/** Draws bars and intervals as rows in groups, as SVG. */

import {
  type BarRow,
  type Bars,
  findMaxBound,
  findMaxMagnitude,
  type IntervalRow,
  type Intervals,
  type RowGroup,
} from "../../charts/charts.ts";
import { capitalize } from "../../shared/words.ts";
import { formatValue, formatValueTitle } from "../charts/values.ts";
import { cleanLine } from "../text.ts";
import { roundTicks } from "../ticks.ts";
import type { SvgDrawing } from "./chart-series.ts";
import { estimateWidth, filled, getMoodInk, stroked, svgText, truncateToWidth } from "./chart-theme.ts";
import { type Child, el, fragment, type Markup } from "./element.ts";

const SIZE = 13;
const ROW = 23;
const GAP = 14;
const FOR_PEOPLE = { tty: true };
/** Widths in pixels: the longest label that is shown whole, the narrowest drawing, and the margin for labels of a scale. */
const MAX_LABEL_WIDTH = 460;
const MIN_DRAWING_WIDTH = 240;
const SCALE_MARGIN = 24;
/** A column of details takes no more than this. */
const MAX_DETAIL_WIDTH = 160;

interface RowScale {
  /** Where the drawing begins, and how wide it is. */
  readonly x: number;
  readonly width: number;
}

/** Bars to both sides of 0, from y 0 down. */
export function barsSvg(chart: Bars, width: number): SvgDrawing {
  const reach = findMaxMagnitude(chart);
  return rowsSvg<BarRow>(chart, width, (row, scale, y) => {
    const middle = scale.x + scale.width / 2;
    const value = row.value ?? 0;
    const long =
      reach === 0 ? 0 : Math.max(value === 0 ? 0 : 1, (Math.abs(value) / reach) * (scale.width / 2));
    const x = value < 0 ? middle - long : middle;
    return fragment(
      el("line", { x1: middle, x2: middle, y1: y, y2: y + ROW, ...stroked("muted") }),
      el("rect", { x, y: y + 4, width: long, height: ROW - 8, ...filled(getMoodInk(row.mood)) }),
    );
  });
}

/** Values with their intervals on a scale from 0, from y 0 down. */
export function intervalsSvg(chart: Intervals, width: number): SvgDrawing {
  const farthest = findScaleEnd(findMaxBound(chart));
  const xOf = (value: number, scale: RowScale) =>
    scale.x + (farthest === 0 ? 0 : (value / farthest) * scale.width);
  const drawn = rowsSvg<IntervalRow>(chart, width, ({ value, interval }, scale, y) => {
    const middle = y + ROW / 2;
    const ticks = scaleTicks(farthest).map((tick) =>
      el("line", {
        x1: xOf(tick.value, scale),
        x2: xOf(tick.value, scale),
        y1: y,
        y2: y + ROW,
        ...stroked("grid"),
      }),
    );
    if (value === null) return fragment(ticks);
    const [low, high] = interval ? [xOf(interval.low, scale), xOf(interval.high, scale)] : [0, 0];
    const ends = [low, high].map((x) =>
      el("line", { x1: x, x2: x, y1: middle - 4, y2: middle + 4, ...stroked("neutral", 2) }),
    );
    return fragment(
      ticks,
      interval && [el("line", { x1: low, x2: high, y1: middle, y2: middle, ...stroked("neutral", 2) }), ends],
      el("circle", { cx: xOf(value, scale), cy: middle, r: 5, ...filled("neutral") }),
    );
  });
  const { x, wide } = layOutColumns(chart, width);
  const labels = scaleTicks(farthest).map((tick) =>
    svgText(tickText(tick.value, chart), xOf(tick.value, { x, width: wide }), drawn.height + 12, {
      size: 11,
      ink: "muted",
      anchor: "middle",
    }),
  );
  return { markup: fragment(drawn.markup, labels), height: drawn.height + 20 };
}

const tickText = (value: number, { unit }: Intervals) =>
  unit === "share" ? `${Number((value * 100).toFixed(2))}%` : formatValue(value, unit, FOR_PEOPLE);
const scaleTicks = (farthest: number) => (farthest === 0 ? [] : roundTicks(0, farthest, 4));

/** The tick at or after the farthest value, so that the scale ends with a label. */
function findScaleEnd(farthest: number): number {
  const [{ value: start } = { value: 0 }, { value: step } = { value: 0 }] = scaleTicks(farthest);
  return step === 0 ? farthest : start + Math.ceil((farthest - start) / step - 1e-9) * step;
}

/** The columns of text before the drawing, and where that begins. */
function layOutColumns<T extends BarRow | IntervalRow>(chart: Bars | Intervals, width: number) {
  const rows = (chart.groups as readonly RowGroup<T>[]).flatMap((group) => group.rows);
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => estimateWidth(text, SIZE)));
  const label = Math.min(MAX_LABEL_WIDTH, widest([chart.labels, ...rows.map((row) => cleanLine(row.label))]));
  const value = widest([formatValueTitle(chart), ...rows.map((row) => formatRowValue(row, chart))]);
  const details = chart.columns.map((title, at) =>
    Math.min(
      MAX_DETAIL_WIDTH,
      widest([cleanLine(title), ...rows.map((row) => cleanLine(row.details[at] ?? "-"))]),
    ),
  );
  const ends: number[] = [];
  let x = label;
  for (const wide of [value, ...details]) {
    x += GAP + wide;
    ends.push(x);
  }
  const start = x + GAP * 2;
  return { label, ends, details, x: start, wide: Math.max(MIN_DRAWING_WIDTH, width - start - SCALE_MARGIN) };
}

/** The width that a chart needs for whole labels and a readable drawing. */
export function measureRows(chart: Bars | Intervals): number {
  const { x } = layOutColumns(chart, 0);
  return x + MIN_DRAWING_WIDTH + SCALE_MARGIN;
}

function formatRowValue(row: BarRow | IntervalRow, { unit }: Bars | Intervals): string {
  return row.value === null ? "-" : formatValue(row.value, unit, FOR_PEOPLE);
}

function rowsSvg<T extends BarRow | IntervalRow>(
  chart: Bars | Intervals,
  width: number,
  draw: (row: T, scale: RowScale, y: number) => Markup,
): SvgDrawing {
  const { label, ends, details, x, wide } = layOutColumns<T>(chart, width);
  const scale = { x, width: wide };
  const heading = { size: 11, ink: "muted" } as const;
  const titles = [formatValueTitle(chart), ...chart.columns].map((title, at) =>
    svgText(
      truncateToWidth(capitalize(cleanLine(title)), details[at - 1] ?? width, SIZE),
      ends[at] ?? 0,
      11,
      {
        ...heading,
        anchor: "end",
      },
    ),
  );
  const parts: Child[] = [svgText(chart.labels, 0, 11, heading), titles];
  let y = ROW;
  for (const { title, mood, rows } of chart.groups as readonly RowGroup<T>[]) {
    if (rows.length === 0) continue;
    parts.push(
      svgText(cleanLine(title), 0, y + 16, {
        size: SIZE,
        ink: mood === "neutral" ? "ink" : getMoodInk(mood),
        bold: true,
      }),
    );
    y += ROW;
    for (const row of rows) {
      const base = y + ROW / 2 + SIZE / 3;
      const texts = [formatRowValue(row, chart), ...chart.columns.map((_, at) => row.details[at] ?? "-")];
      parts.push(
        svgText(truncateToWidth(cleanLine(row.label), label, SIZE), 0, base, { size: SIZE }),
        texts.map((text, at) =>
          svgText(
            truncateToWidth(cleanLine(text), at === 0 ? width : (details[at - 1] ?? 0), SIZE),
            ends[at] ?? 0,
            base,
            {
              size: SIZE,
              anchor: "end",
            },
          ),
        ),
        draw(row, scale, y),
      );
      y += ROW;
    }
    y += 6;
  }
  return { markup: fragment(parts), height: y };
}
