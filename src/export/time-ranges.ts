/** Sets of hours, days or weeks, stored as ranges of adjacent ones. */
import { type BucketWidth, bucketAt, type TimeSpan } from "../shared/calendar.ts";
import type { TimeRange } from "./state.ts";

export const ALL_TIME: TimeSpan = { from: 0, to: Number.POSITIVE_INFINITY };

/** The starts of all hours, days or weeks in the ranges. */
export function listStarts(ranges: readonly TimeRange[], by: BucketWidth): number[] {
  const starts: number[] = [];
  for (const [from, end] of ranges)
    for (let start = from; start < end; start = bucketAt(start, by, ALL_TIME).end) starts.push(start);
  return starts;
}

/** Joins adjacent hours, days or weeks. */
export function joinStarts(starts: Iterable<number>, by: BucketWidth): TimeRange[] {
  const ranges: TimeRange[] = [];
  for (const start of [...starts].sort((a, b) => a - b)) {
    const { end } = bucketAt(start, by, ALL_TIME);
    const last = ranges.at(-1);
    if (last?.[1] === start) last[1] = end;
    else ranges.push([start, end]);
  }
  return ranges;
}
