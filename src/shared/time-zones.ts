/** Offsets of time zones from UTC. */

const zoneFormatters = new Map<string, Intl.DateTimeFormat>();

function getZoneFormatter(tz: string): Intl.DateTimeFormat {
  const cached = zoneFormatters.get(tz);
  if (cached) return cached;
  const formatter = new Intl.DateTimeFormat("en", {
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
  zoneFormatters.set(tz, formatter);
  return formatter;
}

/** The offset of a time zone from UTC at a time, ms; positive east of UTC. Throws RangeError for an unknown zone. */
export function findZoneOffset(ms: number, tz: string): number {
  const parts = new Map(
    getZoneFormatter(tz)
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
