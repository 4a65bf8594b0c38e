/** UTC hours, days and ISO weeks: where each begins, what it is called, and which of them a span touches. */
import { DAY_MS, HOUR_MS, WEEK_MS } from "./time-units.ts";

export const bucketWidths = ["hour", "day", "week"] as const;
export type BucketWidth = (typeof bucketWidths)[number];

const bucketLengthsMs: Readonly<Record<BucketWidth, number>> = { hour: HOUR_MS, day: DAY_MS, week: WEEK_MS };

/** The first Monday before the epoch, a Thursday: weeks begin with it. */
const FIRST_MONDAY = -3 * DAY_MS;

/** A stretch of time, unix ms, both ends inclusive as the API's `from` and `to` are. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** The part of one hour, day or week that a span covers. */
export interface Bucket extends TimeSpan {
  /** Where the hour, day or week itself begins and where the next one does, unix ms. */
  readonly start: number;
  readonly end: number;
  /** Such as `2026-11-19T05`, `2026-11-19` and `2026-W47`: in the order of time when sorted as text. */
  readonly label: string;
}

/** Where the bucket of a time begins, unix ms. */
export function findBucketStart(ms: number, by: BucketWidth): number {
  const origin = by === "week" ? FIRST_MONDAY : 0;
  const length = bucketLengthsMs[by];
  return origin + Math.floor((ms - origin) / length) * length;
}

/** How many buckets a span touches. */
export function countBuckets({ from, to }: TimeSpan, by: BucketWidth): number {
  return (findBucketStart(to, by) - findBucketStart(from, by)) / bucketLengthsMs[by] + 1;
}

/** The bucket of a time, cut to the span. */
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

/** The buckets that a span touches, the earliest first. */
export function* listBuckets(span: TimeSpan, by: BucketWidth): Generator<Bucket> {
  for (let at = findBucketStart(span.from, by); at <= span.to; at += bucketLengthsMs[by])
    yield bucketAt(at, by, span);
}

/** The name of the bucket that begins at a time; weeks as ISO 8601 counts them, by the year of their Thursday. */
function formatBucketLabel(start: number, by: BucketWidth): string {
  if (by !== "week") return new Date(start).toISOString().slice(0, by === "day" ? 10 : 13);
  const thursday = new Date(start + 3 * DAY_MS);
  const year = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / WEEK_MS) + 1;
  return `${year}-W${String(week).padStart(2, "0")}`;
}
