/** Formats times and durations for people. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../shared/time-units.ts";
import { findZoneOffset } from "../shared/time-zones.ts";
import type { RenderOptions } from "./options.ts";

/** Displayed if a time is unknown. */
const UNKNOWN = "-";

/**
 * Formats Unix ms as ISO 8601, such as `2026-03-01T12:00:00Z`: with milliseconds unless they are 0, and with an offset
 * in zones other than UTC. Returns the number itself if it is not a valid time (beyond 8.64e15). Throws RangeError for
 * an unknown zone.
 */
export function isoTime(ms: number, tz = "UTC"): string {
  if (Number.isNaN(new Date(ms).getTime())) return String(ms);
  const offset = tz === "UTC" ? 0 : findZoneOffset(ms, tz);
  const shifted = new Date(ms + offset);
  if (Number.isNaN(shifted.getTime())) return String(ms);
  const text = shifted.toISOString().replace(/(?:\.000)?Z$/, "");
  if (tz === "UTC") return `${text}Z`;
  const minutes = Math.abs(Math.trunc(offset / MINUTE_MS));
  const two = (value: number) => String(value).padStart(2, "0");
  return `${text}${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

const UNITS = [
  { name: "y", ms: 365 * DAY_MS },
  { name: "mo", ms: 30 * DAY_MS },
  { name: "d", ms: DAY_MS },
  { name: "h", ms: HOUR_MS },
  { name: "m", ms: MINUTE_MS },
] as const;

/** The age of a time in the largest whole unit: `3d ago`, `in 2h`, or `just now` within a minute. Both in Unix ms. */
export function relativeTime(ms: number, now: number): string {
  const age = Math.abs(now - ms);
  const unit = UNITS.find((candidate) => age >= candidate.ms);
  if (!unit) return "just now";
  const text = `${Math.floor(age / unit.ms)}${unit.name}`;
  return ms > now ? `in ${text}` : `${text} ago`;
}

/** Formats Unix ms: relative at a terminal, otherwise ISO 8601 in the zone of the options; `-` for null. */
export function formatTime(
  ms: number | null | undefined,
  options: Pick<RenderOptions, "tty" | "now" | "tz">,
): string {
  if (ms === null || ms === undefined) return UNKNOWN;
  return options.tty ? relativeTime(ms, options.now) : isoTime(ms, options.tz);
}

/** The date of a UTC day, of which `ms` is the start; at a terminal, `today` and `yesterday` instead. */
export function formatDay(ms: number, { tty, now }: Pick<RenderOptions, "tty" | "now">): string {
  const age = Math.floor(now / DAY_MS) - Math.floor(ms / DAY_MS);
  return (tty ? ["today", "yesterday"][age] : undefined) ?? isoTime(ms).slice(0, 10);
}

/** Formats seconds as `1h 02m`, `4m 05s` or `12s`, rounded to whole seconds. Hours are the largest unit. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return UNKNOWN;
  const total = Math.round(Math.abs(seconds));
  const sign = seconds < 0 && total > 0 ? "-" : "";
  const two = (value: number) => String(value).padStart(2, "0");
  if (total < 60) return `${sign}${total}s`;
  if (total < 3600) return `${sign}${Math.floor(total / 60)}m ${two(total % 60)}s`;
  return `${sign}${Math.floor(total / 3600)}h ${two(Math.floor(total / 60) % 60)}m`;
}
