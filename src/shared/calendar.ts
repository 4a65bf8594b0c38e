/** Buckets of time: UTC hours, days and ISO 8601 weeks. */
import { DAY_MS, HOUR_MS, WEEK_MS } from "./time-units.ts";

export const bucketWidths = ["hour", "day", "week"] as const;
export type BucketWidth = (typeof bucketWidths)[number];

const bucketLengthsMs: Readonly<Record<BucketWidth, number>> = { hour: HOUR_MS, day: DAY_MS, week: WEEK_MS };

/** The Monday before the epoch, which was a Thursday, unix ms. */
const FIRST_MONDAY = -3 * DAY_MS;

/** A time range, unix ms, both ends inclusive like `from` and `to` in the API. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** One hour, day or week; `from` and `to` are limited to a span. */
export interface Bucket extends TimeSpan {
  /** The full hour, day or week, unix ms; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /** Such as `2026-11-19T05`, `2026-11-19` or `2026-W47`. Labels sort chronologically as text. */
  readonly label: string;
}

/** The start of the bucket that contains a time, unix ms. */
export function findBucketStart(ms: number, by: BucketWidth): number {
  const origin = by === "week" ? FIRST_MONDAY : 0;
  const length = bucketLengthsMs[by];
  return origin + Math.floor((ms - origin) / length) * length;
}

export function countBuckets({ from, to }: TimeSpan, by: BucketWidth): number {
  return (findBucketStart(to, by) - findBucketStart(from, by)) / bucketLengthsMs[by] + 1;
}

/** The bucket that contains a time, limited to the span. */
export function bucketAt(ms: number, by: BucketWidth, span: TimeSpan): Bucket {
  const start = findBucketStart(ms, by);
  const end = start + bucketLengthsMs[by];
  return {
    start,
    end,
    label: formatBucketLabel(start, by),
    from: Math.max(start, span.from),
    to: Math.min(end - 1, span.to),
  };
}

/** The buckets that overlap a span, earliest first. */
export function* listBuckets(span: TimeSpan, by: BucketWidth): Generator<Bucket> {
  for (let start = findBucketStart(span.from, by); start <= span.to; start += bucketLengthsMs[by])
    yield bucketAt(start, by, span);
}

/** The label of a bucket. An ISO 8601 week belongs to the year of its Thursday. */
function formatBucketLabel(start: number, by: BucketWidth): string {
  if (by !== "week") return new Date(start).toISOString().slice(0, by === "day" ? 10 : 13);
  const thursday = new Date(start + 3 * DAY_MS);
  const year = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / WEEK_MS) + 1;
  return `${year}-W${String(week).padStart(2, "0")}`;
}
