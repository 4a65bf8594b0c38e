/** Days, which kept counts are summed by: a time's day, and a range as whole days and the parts of days that it cuts. */

import { DAY_MS } from "../../shared/time-units.ts";

/** The day of a time: whole days since the epoch, UTC. */
export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** The first millisecond of a day. */
function startOf(day: number): number {
  return day * DAY_MS;
}

/** Bounds on a time, inclusive, unix ms; unset ones do not bound. */
export interface Range {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A range with both its bounds. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

/** The first and the last of some days, inclusive. */
export interface Days {
  readonly first: number;
  readonly last: number;
}

const [EARLIEST, LATEST] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** The days that lie whole in a range, null where none does, and what of the range lies beside them. */
export function splitDays({ from, to }: Range): {
  readonly days: Days | null;
  readonly parts: readonly Part[];
} {
  const first = from === undefined ? dayOf(EARLIEST) : Math.ceil(from / DAY_MS);
  const last = to === undefined ? dayOf(LATEST) : dayOf(to + 1) - 1;
  if (first > last) return { days: null, parts: [{ from: from ?? EARLIEST, to: to ?? LATEST }] };
  const parts: Part[] = [];
  if (from !== undefined && from < startOf(first)) parts.push({ from, to: startOf(first) - 1 });
  if (to !== undefined && to >= startOf(last + 1)) parts.push({ from: startOf(last + 1), to });
  return { days: { first, last }, parts };
}
