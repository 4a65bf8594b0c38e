/** Formats the values of charts and describes charts in words. Texts are not escaped. */
import { type Chart, type ChartUnit, findMaxValue, type Series } from "../../charts/charts.ts";
import { formatCount, formatNumber } from "../numbers.ts";
import type { RenderOptions } from "../options.ts";
import { roundTicks } from "../ticks.ts";
import { formatDuration } from "../time.ts";

export function formatValue(value: number, unit: ChartUnit, options: Pick<RenderOptions, "tty">): string {
  if (unit === "seconds") return formatDuration(value);
  if (unit === "share") return `${(value * 100).toFixed(1)}%`;
  if (unit === "points") return `${value > 0 ? "+" : ""}${value.toFixed(1)}`;
  return formatNumber(Math.round(value * 10) / 10, options);
}

const headings: Readonly<Record<ChartUnit, string>> = {
  points: "Diff (pp)",
  seconds: "Length",
  share: "Share",
  count: "Mean",
};

/** The heading of the values of a chart with rows. */
export const formatValueTitle = ({ unit }: Chart): string => headings[unit];

/** About `count` round values from 0 to the maximum of a series. Durations are in whole seconds, minutes or hours. */
export function pickTicks(series: Series, count: number): number[] {
  const max = findMaxValue(series);
  if (max === 0) return [0];
  const step = series.unit !== "seconds" || max < 120 ? 1 : max < 7200 ? 60 : 3600;
  return roundTicks(0, max / step, count).map(({ value }) => value * step);
}

const FOR_PEOPLE = { tty: true };

/** Describes a chart in words, for readers who cannot see it. */
export function describeChart(chart: Chart): string {
  if (chart.kind === "series") return describeSeries(chart);
  const rows = chart.groups.flatMap(({ title, rows }) => rows.map((row) => ({ title, ...row })));
  if (rows.length === 0) return "No data.";
  const texts = rows.map(({ title, label, value }) => {
    const shown = value === null ? "unknown" : formatValue(value, chart.unit, FOR_PEOPLE);
    return `${title}, ${label}: ${shown}`;
  });
  return `${texts.join("; ")}.`;
}

/** Describes a series by its range, its largest and smallest value, and the number of missing values. */
export function describeSeries(series: Series): string {
  const { points, each, unit, missing } = series;
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last) return "No data.";
  const known = points.filter(({ value }) => value !== null);
  const all =
    points.length === 1
      ? `One ${each}, ${first.label}`
      : `${points.length} ${each}s, ${first.label} to ${last.label}`;
  const describeExtreme = (name: string, extreme: number) => {
    const point = known.find(({ value }) => value === extreme);
    return `${name} ${formatValue(extreme, unit, FOR_PEOPLE)} (${point?.label ?? ""})`;
  };
  const min = Math.min(...known.map(({ value }) => value ?? 0));
  const extremes =
    known.length === 0
      ? []
      : [describeExtreme("maximum", findMaxValue(series)), describeExtreme("minimum", min)];
  const without = points.length - known.length;
  const gaps = without === 0 ? [] : [`${missing} in ${formatCount(without, each)}`];
  return `${[all, ...extremes, ...gaps].join("; ")}.`;
}
