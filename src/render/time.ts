/** Times and durations as people read them. */
import type { RenderOptions } from "./options.ts";

/** What stands for a time that is not known. */
const NONE = "-";

const zones = new Map<string, Intl.DateTimeFormat>();

function zoneFormat(tz: string): Intl.DateTimeFormat {
  const known = zones.get(tz);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en", {
    timeZone: tz,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    era: "short",
  });
  zones.set(tz, made);
  return made;
}

/** How far a zone's clock is ahead of UTC at a time, in ms; throws RangeError for an unknown zone. */
export function offsetAt(ms: number, tz: string): number {
  const parts = new Map(
    zoneFormat(tz)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes) => Number(parts.get(name));
  const year = parts.get("era") === "BC" ? 1 - part("year") : part("year");
  const local = new Date(0);
  local.setUTCFullYear(year, part("month") - 1, part("day"));
  local.setUTCHours(part("hour"), part("minute"), part("second"));
  return local.getTime() - Math.floor(ms / 1000) * 1000;
}

/**
 * ISO 8601 of unix ms: `2026-03-01T12:00:00Z`, with milliseconds where there are any and an offset in another zone.
 * A number that is no time (beyond 8.64e15) stays a number; an unknown zone throws RangeError.
 */
export function isoTime(ms: number, tz = "UTC"): string {
  if (Number.isNaN(new Date(ms).getTime())) return String(ms);
  const offset = tz === "UTC" ? 0 : offsetAt(ms, tz);
  const shifted = new Date(ms + offset);
  if (Number.isNaN(shifted.getTime())) return String(ms);
  const text = shifted.toISOString().replace(/(?:\.000)?Z$/, "");
  if (tz === "UTC") return `${text}Z`;
  const minutes = Math.abs(Math.trunc(offset / 60_000));
  const two = (value: number) => String(value).padStart(2, "0");
  return `${text}${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

const UNITS = [
  { name: "y", ms: 365 * 86_400_000 },
  { name: "mo", ms: 30 * 86_400_000 },
  { name: "d", ms: 86_400_000 },
  { name: "h", ms: 3_600_000 },
  { name: "m", ms: 60_000 },
] as const;

/** The age of a time in its largest whole unit: `3d ago`, `in 2h`, `just now` within a minute. Both in unix ms. */
export function relativeTime(ms: number, now: number): string {
  const age = Math.abs(now - ms);
  const unit = UNITS.find((candidate) => age >= candidate.ms);
  if (!unit) return "just now";
  const text = `${Math.floor(age / unit.ms)}${unit.name}`;
  return ms > now ? `in ${text}` : `${text} ago`;
}

/** A time of unix ms: relative at a terminal, ISO in the options' zone elsewhere; `-` for null. */
export function formatTime(
  ms: number | null | undefined,
  options: Pick<RenderOptions, "tty" | "now" | "tz">,
): string {
  if (ms === null || ms === undefined) return NONE;
  return options.tty ? relativeTime(ms, options.now) : isoTime(ms, options.tz);
}

/** Seconds as `1h 02m`, `4m 05s` or `12s`, rounded to whole seconds; hours are the largest unit. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return NONE;
  const total = Math.round(Math.abs(seconds));
  const sign = seconds < 0 && total > 0 ? "-" : "";
  const two = (value: number) => String(value).padStart(2, "0");
  if (total < 60) return `${sign}${total}s`;
  if (total < 3600) return `${sign}${Math.floor(total / 60)}m ${two(total % 60)}s`;
  return `${sign}${Math.floor(total / 3600)}h ${two(Math.floor(total / 60) % 60)}m`;
}
