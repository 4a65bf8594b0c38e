/** Charts as data: what a series, bars or intervals show, without colour or layout. */

/** What the numbers of a chart are: counts, seconds, percentage points, or shares from 0 to 1. */
export type ChartUnit = "count" | "seconds" | "points" | "share";

/** Whether something is well or ill for the players; drawn in colour, so its text must say it too. */
export type ChartMood = "good" | "bad" | "neutral";

interface ChartBase {
  readonly title: string;
  /** What is drawn, in a sentence or two. */
  readonly note: string;
  readonly unit: ChartUnit;
}

/** One stretch of time, or one of several things in order. */
export interface SeriesPoint {
  readonly label: string;
  /** Null where nothing can be known, which is not none. */
  readonly value: number | null;
  /** True where the stretch has not ended yet. */
  readonly open?: boolean;
  readonly mood?: ChartMood;
}

/** A value over time: columns from 0 upwards. */
export interface Series extends ChartBase {
  readonly kind: "series";
  readonly points: readonly SeriesPoint[];
  /** What a point is called, such as `day`. */
  readonly each: string;
  /** What a point without a value means, such as `nobody played`. */
  readonly missing: string;
}

/** Rows under a title. */
export interface RowGroup<T> {
  readonly title: string;
  readonly mood: ChartMood;
  readonly rows: readonly T[];
}

interface ChartRow {
  readonly label: string;
  /** Further texts, one for each of the chart's columns; null where nothing is known. */
  readonly details: readonly (string | null)[];
}

interface RowChart<T> extends ChartBase {
  /** What the labels are, as a heading. */
  readonly labels: string;
  /** Headings of the details. */
  readonly columns: readonly string[];
  readonly groups: readonly RowGroup<T>[];
}

export interface BarRow extends ChartRow {
  readonly value: number;
  readonly mood: ChartMood;
}

/** Values to both sides of 0. */
export interface Bars extends RowChart<BarRow> {
  readonly kind: "bars";
}

export interface IntervalRow extends ChartRow {
  /** Null where nothing is known yet. */
  readonly value: number | null;
  /** The 95 % interval; null where the service tells none. */
  readonly interval: { readonly low: number; readonly high: number } | null;
}

/** Values with how far they may be off. */
export interface Intervals extends RowChart<IntervalRow> {
  readonly kind: "intervals";
}

export type Chart = Series | Bars | Intervals;

/** The largest value of a series; 0 where there is none. */
export function findMaxValue({ points }: Pick<Series, "points">): number {
  return points.reduce((most, { value }) => Math.max(most, value ?? 0), 0);
}

/** The largest distance from 0 of bars; 0 where there are none. */
export function findMaxMagnitude({ groups }: Pick<Bars, "groups">): number {
  return Math.max(0, ...groups.flatMap(({ rows }) => rows.map(({ value }) => Math.abs(value))));
}

/** The largest value or bound of intervals; 0 where there is none. */
export function findMaxBound({ groups }: Pick<Intervals, "groups">): number {
  const ends = groups.flatMap(({ rows }) =>
    rows.flatMap(({ value, interval }) => [value ?? 0, interval?.high ?? 0]),
  );
  return Math.max(0, ...ends);
}

/** A series with as many neighbours joined as it takes to have at most so many points: each the mean of those known. */
export function downsample(series: Series, most: number): { readonly series: Series; readonly each: number } {
  const each = Math.max(1, Math.ceil(series.points.length / Math.max(1, most)));
  if (each === 1) return { series, each };
  const points: SeriesPoint[] = [];
  for (let at = 0; at < series.points.length; at += each)
    points.push(averagePoints(series.points.slice(at, at + each)));
  return { series: { ...series, points }, each };
}

function averagePoints(points: readonly SeriesPoint[]): SeriesPoint {
  const known = points.flatMap(({ value }) => value ?? []);
  const [first] = points;
  return {
    label: first?.label ?? "",
    value: known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length,
    open: points.some(({ open }) => open === true),
    ...(first?.mood ? { mood: first.mood } : {}),
  };
}
