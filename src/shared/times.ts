/** Points in time as people type them: ISO 8601, an age, or Unix milliseconds. */
import { parseAge } from "./durations.ts";
import { DAY_MS } from "./time-units.ts";
import { findZoneOffset } from "./time-zones.ts";

/** What a refused time is told to be. */
export const TIME_SYNTAX =
  "a time: use ISO 8601 (2026-11-19, 2026-11-19T08:30Z), an age (7d, 36h) or 13-digit Unix milliseconds";

/**
 * Fewer digits than these are seconds, or a year, more often than milliseconds before September 2001, and a filter by
 * such a time would match everything or nothing without a word.
 */
const UNIX_MS = /^\d{13}$/;

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Unix ms of the text; null if it is not a time. An age counts back from `now`, to 1970 at most. A date or date-time
 * without a zone is in zone `tz`. A month or year alone is refused: as an upper bound it would mean its first day.
 */
export function parseTime(text: string, now: number, tz: string): number | null {
  if (UNIX_MS.test(text)) return Number(text);
  // A bare 0 is a length of time, but no age: it could as well be meant as 1970.
  const age = text === "0" ? null : parseAge(text);
  return age === null ? parseIso(text, tz) : Math.max(0, now - age);
}

function parseIso(text: string, tz: string): number | null {
  const match = ISO.exec(text);
  if (!match) return null;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone] = match;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}`;
  const asUtc = Date.parse(`${local}Z`);
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(0, 10) !== local.slice(0, 10)) return null;
  if (zone) {
    const time = Date.parse(`${local}${zone.toUpperCase()}`);
    return Number.isNaN(time) ? null : time;
  }
  return tz === "UTC" ? asUtc : zonedToUtc(asUtc, tz);
}

/**
 * The instant at which clocks in a zone show what UTC clocks show at `asUtc`: the first where they show it twice,
 * and where they skip it, as long after the skip as it is into it.
 */
function zonedToUtc(asUtc: number, tz: string): number {
  const [before, after] = [asUtc - DAY_MS, asUtc + DAY_MS].map((near) => asUtc - findZoneOffset(near, tz));
  const shows = (instant = 0) => instant + findZoneOffset(instant, tz) === asUtc;
  return (!shows(before) && shows(after) ? after : before) ?? asUtc;
}
