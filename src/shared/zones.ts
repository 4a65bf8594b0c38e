/** Time zones: how far their clocks are from UTC. */

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
