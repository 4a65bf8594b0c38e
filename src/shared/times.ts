/** Parses times that people type: ISO 8601, an age, or Unix milliseconds. */
import { parseAge } from "./durations.ts";
import { DAY_MS } from "./time-units.ts";
import { findZoneOffset } from "./time-zones.ts";

/** Follows "is not" in the error for an invalid time. */
export const TIME_SYNTAX =
  "a time: use ISO 8601 (2026-11-19, 2026-11-19T08:30Z), an age (7d, 36h) or 13-digit Unix milliseconds";

/** The same for a time that lies ahead, such as an expiry. */
export const FUTURE_TIME_SYNTAX =
  "a time: use ISO 8601 (2026-12-31, 2026-12-31T08:30Z), a time from now (7d, 36h) or 13-digit Unix milliseconds";

/**
 * Numbers with fewer digits are rejected: they are probably seconds or a year, and such a filter would silently match
 * everything or nothing. As milliseconds, they would be before September 2001.
 */
const UNIX_MS = /^\d{13}$/;

/** The last time with 13 digits, in the year 2286. */
const MAX_TIME_MS = 9_999_999_999_999;

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Parses a time to unix ms; null if invalid. An age counts back from `now`, but not before 1970. A date or date-time
 * without an offset is in time zone `tz`. A month or year alone is rejected, because as an upper limit it would mean
 * its first day.
 */
export function parseTime(text: string, now: number, tz: string): number | null {
  return parseRelativeTime(text, tz, (age) => Math.max(0, now - age));
}

/** Like `parseTime`, but an amount such as `7d` counts forward from `now`. */
export function parseFutureTime(text: string, now: number, tz: string): number | null {
  return parseRelativeTime(text, tz, (distance) => {
    const time = now + distance;
    return time <= MAX_TIME_MS ? time : null;
  });
}

function parseRelativeTime(
  text: string,
  tz: string,
  resolve: (distanceMs: number) => number | null,
): number | null {
  if (UNIX_MS.test(text)) return Number(text);
  // 0 is a valid age elsewhere, but here it could also mean 1970.
  const distance = text === "0" ? null : parseAge(text);
  return distance === null ? parseIso(text, tz) : resolve(distance);
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
 * Converts a local time in a zone (given as if it were UTC) to UTC. A local time that occurs twice is the first one. A
 * local time that is skipped moves forward by the length of the gap.
 */
function zonedToUtc(asUtc: number, tz: string): number {
  const [before, after] = [asUtc - DAY_MS, asUtc + DAY_MS].map(
    (nearby) => asUtc - findZoneOffset(nearby, tz),
  );
  const isExact = (instant = 0) => instant + findZoneOffset(instant, tz) === asUtc;
  return (!isExact(before) && isExact(after) ? after : before) ?? asUtc;
}
