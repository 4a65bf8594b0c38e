/** Time zones: how far their clocks are from UTC. */

const zoneFormatters = new Map<string, Intl.DateTimeFormat>();

function getZoneFormatter(tz: string): Intl.DateTimeFormat {
  const known = zoneFormatters.get(tz);
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
  zoneFormatters.set(tz, made);
  return made;
}

/** How far a zone's clock is ahead of UTC at a time, in ms; throws RangeError for an unknown zone. */
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
