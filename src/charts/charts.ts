/** View models of charts: series, bars and intervals, without colors or layout. */

/** The unit of the values: counts, seconds, percentage points, or shares from 0 to 1. */
export type ChartUnit = "count" | "seconds" | "points" | "share";

/** Whether something is good or bad for players. It is shown by color, so the text must say it too. */
export type ChartMood = "good" | "bad" | "neutral";

interface ChartBase {
  readonly title: string;
  /** Explains the chart in one or two sentences. */
  readonly note: string;
  readonly unit: ChartUnit;
}

/** One period of time, or one item of an ordered list. */
export interface SeriesPoint {
  readonly label: string;
  /** Null if there is no data, which is different from 0. */
  readonly value: number | null;
  /** Whether the period is not over yet. */
  readonly open?: boolean;
  readonly mood?: ChartMood;
}

/** Values over time, drawn as columns. */
export interface Series extends ChartBase {
  readonly kind: "series";
  readonly points: readonly SeriesPoint[];
  /** The noun for a point, such as `day`. */
  readonly each: string;
  /** The meaning of a point without a value, such as `no sessions`. */
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
  /** More texts, one for each of the chart's `columns`; null if unknown. */
  readonly details: readonly (string | null)[];
}

interface RowChart<T> extends ChartBase {
  /** Heading of the labels. */
  readonly labels: string;
  /** Headings of the details. */
  readonly columns: readonly string[];
  readonly groups: readonly RowGroup<T>[];
}

export interface BarRow extends ChartRow {
  /** Null if unknown: the row has no bar. */
  readonly value: number | null;
  readonly mood: ChartMood;
}

/** Positive and negative values as bars from a common zero line. */
export interface Bars extends RowChart<BarRow> {
  readonly kind: "bars";
}

export interface IntervalRow extends ChartRow {
  /** Null if unknown. */
  readonly value: number | null;
  /** The 95% confidence interval; null if the service reports none. */
  readonly interval: { readonly low: number; readonly high: number } | null;
}

/** Values with their confidence intervals. */
export interface Intervals extends RowChart<IntervalRow> {
  readonly kind: "intervals";
}

export type Chart = Series | Bars | Intervals;

/** The largest value of a series, or 0. */
export function findMaxValue({ points }: Pick<Series, "points">): number {
  return points.reduce((max, { value }) => Math.max(max, value ?? 0), 0);
}

/** The largest absolute value of the bars, or 0. */
export function findMaxMagnitude({ groups }: Pick<Bars, "groups">): number {
  return Math.max(0, ...groups.flatMap(({ rows }) => rows.map(({ value }) => Math.abs(value ?? 0))));
}

/** The largest value or upper bound of the intervals, or 0. */
export function findMaxBound({ groups }: Pick<Intervals, "groups">): number {
  const ends = groups.flatMap(({ rows }) =>
    rows.flatMap(({ value, interval }) => [value ?? 0, interval?.high ?? 0]),
  );
  return Math.max(0, ...ends);
}

/**
 * Merges neighboring points so that the series has at most `maxPoints`. The value of a merged point is the mean of the
 * known values of `each` points.
 */
export function downsample(
  series: Series,
  maxPoints: number,
): { readonly series: Series; readonly each: number } {
  const each = Math.max(1, Math.ceil(series.points.length / Math.max(1, maxPoints)));
  if (each === 1) return { series, each };
  const points: SeriesPoint[] = [];
  for (let start = 0; start < series.points.length; start += each)
    points.push(averagePoints(series.points.slice(start, start + each)));
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
