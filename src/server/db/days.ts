/** Days, which kept counts are summed by: a time's day, and a range as whole days and the parts of days that it cuts. */

import { DAY_MS } from "../../shared/time-units.ts";

/** The day of a time: whole days since the epoch, UTC. */
export function toEpochDay(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** The first millisecond of a day. */
function startOfDay(day: number): number {
  return day * DAY_MS;
}

/** Bounds on a time, inclusive, unix ms; unset ones do not bound. */
export interface TimeRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A range with both its bounds. */
export interface BoundedTimeRange {
  readonly from: number;
  readonly to: number;
}

/** The first and the last of some days, inclusive. */
export interface DayRange {
  readonly first: number;
  readonly last: number;
}

const [EARLIEST, LATEST] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** The days that lie whole in a range, null where none does, and what of the range lies beside them. */
export function splitIntoDays({ from, to }: TimeRange): {
  readonly days: DayRange | null;
  readonly parts: readonly BoundedTimeRange[];
} {
  const first = from === undefined ? toEpochDay(EARLIEST) : Math.ceil(from / DAY_MS);
  const last = to === undefined ? toEpochDay(LATEST) : toEpochDay(to + 1) - 1;
  if (first > last) return { days: null, parts: [{ from: from ?? EARLIEST, to: to ?? LATEST }] };
  const parts: BoundedTimeRange[] = [];
  if (from !== undefined && from < startOfDay(first)) parts.push({ from, to: startOfDay(first) - 1 });
  if (to !== undefined && to >= startOfDay(last + 1)) parts.push({ from: startOfDay(last + 1), to });
  return { days: { first, last }, parts };
}
