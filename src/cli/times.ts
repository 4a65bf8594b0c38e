/** Times as people type them: unix ms, ISO 8601, or an age. */
import { offsetAt } from "../render/time.ts";

/** The units of ages, in ms. */
export const ageUnits: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Unix ms of the text; null where it is no time. A date without a zone is of zone `tz`. */
export function parseTime(given: string, now: number, tz: string): number | null {
  if (/^\d+$/.test(given)) return Number(given);
  const [, amount, unit] = /^(\d+)([mhdw])$/.exec(given) ?? [];
  if (amount !== undefined && unit !== undefined)
    return Math.max(0, now - Number(amount) * (ageUnits[unit] ?? 0));
  const match = ISO.exec(given);
  if (!match) return null;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone] = match;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}`;
  const asUtc = Date.parse(`${local}Z`);
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(0, 10) !== local.slice(0, 10)) return null;
  if (zone) {
    const time = Date.parse(`${local}${zone.toUpperCase()}`);
    return Number.isNaN(time) ? null : time;
  }
  return tz === "UTC" ? asUtc : fromZone(asUtc, tz);
}

const DAY = 86_400_000;

/**
 * The instant at which clocks in a zone show what UTC clocks show at `asUtc`: the first where they show it twice,
 * and where they skip it, as long after the skip as it is into it.
 */
function fromZone(asUtc: number, tz: string): number {
  const [before, after] = [asUtc - DAY, asUtc + DAY].map((near) => asUtc - offsetAt(near, tz));
  const shows = (instant = 0) => instant + offsetAt(instant, tz) === asUtc;
  return (!shows(before) && shows(after) ? after : before) ?? asUtc;
}
