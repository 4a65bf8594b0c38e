/** The numbers of charts as people read them, and what a chart shows in a sentence. Texts are as they came. */
import { type Chart, type ChartUnit, findMaxValue, type Series } from "../../charts/charts.ts";
import { formatNumber } from "../numbers.ts";
import type { RenderOptions } from "../options.ts";
import { roundTicks } from "../ticks.ts";
import { formatDuration } from "../time.ts";

/** A value with its unit. */
export function formatValue(value: number, unit: ChartUnit, options: Pick<RenderOptions, "tty">): string {
  if (unit === "seconds") return formatDuration(value);
  if (unit === "share") return `${(value * 100).toFixed(1)}%`;
  if (unit === "points") return `${value > 0 ? "+" : ""}${value.toFixed(1)}`;
  return formatNumber(Math.round(value * 10) / 10, options);
}

/** About so many round values from 0 to the largest of a series: of whole seconds, minutes or hours. */
export function pickTicks(series: Series, count: number): number[] {
  const most = findMaxValue(series);
  if (most === 0) return [0];
  const whole = series.unit !== "seconds" || most < 120 ? 1 : most < 7200 ? 60 : 3600;
  return roundTicks(0, most / whole, count).map(({ value }) => value * whole);
}

const FOR_PEOPLE = { tty: true };

/** What a chart shows, for whoever does not see it. */
export function describeChart(chart: Chart): string {
  if (chart.kind === "series") return describeSeries(chart);
  const rows = chart.groups.flatMap(({ title, rows }) => rows.map((row) => ({ title, ...row })));
  if (rows.length === 0) return "Nothing to show.";
  const told = rows.map(({ title, label, value }) => {
    const shown = value === null ? "not known" : formatValue(value, chart.unit, FOR_PEOPLE);
    return `${title}, ${label}: ${shown}`;
  });
  return `${told.join("; ")}.`;
}

/** The extent of a series, its largest and smallest value, and how many are missing. */
export function describeSeries(series: Series): string {
  const { points, each, unit, missing } = series;
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last) return "Nothing to show.";
  const known = points.filter(({ value }) => value !== null);
  const all =
    points.length === 1
      ? `One ${each}, ${first.label}`
      : `${points.length} ${each}s, ${first.label} to ${last.label}`;
  const told = (word: string, at: number) => {
    const point = known.find(({ value }) => value === at);
    return `${word} ${formatValue(at, unit, FOR_PEOPLE)} (${point?.label ?? ""})`;
  };
  const least = Math.min(...known.map(({ value }) => value ?? 0));
  const extremes = known.length === 0 ? [] : [told("most", findMaxValue(series)), told("least", least)];
  const without = points.length - known.length;
  const gaps = without === 0 ? [] : [`${missing} in ${without}`];
  return `${[all, ...extremes, ...gaps].join("; ")}.`;
}
