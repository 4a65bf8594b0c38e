/** Reads the times of imported rows. A time that can mean several moments is refused, never guessed. */
import { MIN_TIME } from "../../contract/telemetry.ts";

/** How a column writes times. */
export const TIME_FORMATS = ["iso", "unix-s", "unix-ms", "unix-us"] as const;
type TimeFormat = (typeof TIME_FORMATS)[number];

/** A time in unix ms, or why it is refused. */
type ParsedTime = { readonly time: number } | { readonly fault: string };

const UNIT_MS: Readonly<Record<Exclude<TimeFormat, "iso">, number>> = {
  "unix-s": 1000,
  "unix-ms": 1,
  "unix-us": 0.001,
};

/** A later time means a wrong unit. */
const MAX_TIME = Date.UTC(2100, 0, 1);

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? ?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/;
const OFFSET = /^(?:(?:UTC|GMT)?([+-])(\d{2}):?(\d{2})?|Z|UTC|GMT)$/;

/** Reads a time. `zone` is the time zone of a time without one: an offset such as +02:00; null if it is unknown. */
export function parseTime(text: string, format: TimeFormat, zone: string | null): ParsedTime {
  const shown = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  if (text === "") return { fault: "the time is empty" };
  return format === "iso" ? parseIso(text, shown, zone) : parseUnix(text, shown, format);
}

function parseUnix(text: string, shown: string, format: Exclude<TimeFormat, "iso">): ParsedTime {
  if (/^\d+(?:\.\d+)?[eE]\+?\d+$/.test(text))
    return { fault: `the time ${shown} has lost digits. Export it as a whole number` };
  if (!/^\d{1,20}(?:\.\d{1,9})?$/.test(text))
    return { fault: `the time ${shown} is not a number (${format})` };
  const time = Math.floor(Number(text) * UNIT_MS[format] + 1e-6);
  if (isPlausible(time)) return { time };
  const units = Object.keys(UNIT_MS) as (keyof typeof UNIT_MS)[];
  const fitting = units.find((unit) => isPlausible(Number(text) * UNIT_MS[unit]));
  const advice = fitting === undefined ? "" : `. It looks like ${fitting}: set the format of the time`;
  return { fault: `the time ${shown} is not in the years 2000 to 2099 as ${format}${advice}` };
}

const isPlausible = (time: number) => time >= MIN_TIME && time < MAX_TIME;

function parseIso(text: string, shown: string, zone: string | null): ParsedTime {
  const match = ISO.exec(text.trim());
  if (!match)
    return {
      fault: `the time ${shown} is not ISO 8601 with a date and a time, such as 2026-03-01T12:00:00Z`,
    };
  const [, year, month, day, hour, minute, second = "0", fraction = "", suffix] = match;
  const named = suffix ?? zone;
  const offset = parseOffset(named ?? "");
  if (offset === null) {
    return named === null
      ? { fault: `the time ${shown} has no time zone` }
      : {
          fault: `the time zone ${JSON.stringify(named)} of the time ${shown} is not an offset such as +02:00`,
        };
  }
  const [y = 0, mo = 0, d, h, min, s] = [year, month, day, hour, minute, second].map(Number);
  const local = Date.UTC(y, mo - 1, d, h, min, s);
  const written = new Date(local).toISOString().slice(0, 19);
  if (written !== `${year}-${month}-${day}T${hour}:${minute}:${second.padStart(2, "0")}`)
    return { fault: `the time ${shown} does not exist` };
  const time = local + Number(fraction.padEnd(3, "0").slice(0, 3)) - offset;
  return isPlausible(time) ? { time } : { fault: `the time ${shown} is not in the years 2000 to 2099` };
}

/** The offset from UTC in ms, or null if the text is not one. */
export function parseOffset(text: string): number | null {
  const match = OFFSET.exec(text);
  if (!match) return null;
  const [, sign, hours, minutes = "0"] = match;
  if (sign === undefined) return 0;
  const total = Number(hours) * 60 + Number(minutes);
  return Number(hours) > 14 || Number(minutes) > 59 ? null : (sign === "-" ? -1 : 1) * total * 60_000;
}

/** Numbers in JSON syntax. Only coordinates can have an exponent, because ids can look like `12e4`. */
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const EXPONENT = /^-?\d+(?:\.\d+)?[eE][+-]?\d+$/;
const LEADING_ZERO = /^-?0\d/;

/** The longest text that can be a number. */
const MAX_NUMBER_CHARS = 40;

/** The number that a text is, or null. Numbers with leading zeros, and integers that would lose digits, are ids. */
export function parseNumber(text: string, allowExponent: boolean): number | null {
  if (text.length > MAX_NUMBER_CHARS || LEADING_ZERO.test(text)) return null;
  if (!DECIMAL.test(text) && !(allowExponent && EXPONENT.test(text))) return null;
  const value = Number(text);
  const isExact = text.includes(".") || allowExponent || Number.isSafeInteger(value);
  return Number.isFinite(value) && isExact ? value : null;
}

/** The value that a text means: a number, true, false, JSON or the text itself. */
export function convertText(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const text = value.trim();
  const number = parseNumber(text, false);
  if (number !== null) return number;
  if (text === "true" || text === "false") return text === "true";
  if (!/^[[{]/.test(text)) return value;
  try {
    return JSON.parse(text);
  } catch {
    return value;
  }
}
