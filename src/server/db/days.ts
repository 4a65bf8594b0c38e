/** UTC days, by which counters are kept: the day of a time, and a time range split into whole days and partial days. */

import { DAY_MS } from "../../shared/time-units.ts";

/** The day of a time: whole days since the epoch, UTC. */
export function toEpochDay(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** The first millisecond of a day. */
function startOfDay(day: number): number {
  return day * DAY_MS;
}

/** A time range with inclusive bounds, unix ms. An unset bound leaves that side open. */
export interface TimeRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A time range with both bounds set. */
export interface BoundedTimeRange {
  readonly from: number;
  readonly to: number;
}

/** A range of epoch days, inclusive. */
export interface DayRange {
  readonly first: number;
  readonly last: number;
}

const [EARLIEST, LATEST] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** Splits a range into the days that it covers completely (null if there are none) and the partial days at its ends. */
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
