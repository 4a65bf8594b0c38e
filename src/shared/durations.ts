/** Durations as people type them: a number and its unit. */
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from "./time-units.ts";

/** Milliseconds by unit. */
const unitMs = { ms: 1, s: 1000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: WEEK_MS } as const;
type DurationUnit = keyof typeof unitMs;

/** The units of timeouts and waits, and those of ages, which are counted in longer ones. */
export const durationUnits: readonly DurationUnit[] = ["ms", "s", "m", "h"];
export const ageUnits: readonly DurationUnit[] = ["m", "h", "d", "w"];

/** What a refused duration is told to be. */
export const DURATION_SYNTAX = "a duration such as 500ms, 30s, 5m, 2h or 0";

/** What a refused age is told to be. */
export const AGE_SYNTAX = "a length of time such as 36h, 2d, 1w or 0";

/** Milliseconds of a timeout or wait such as `500ms`, `1.5s`, `5m`, `2h` or `0`; null if the text is not one. */
export function parseDuration(text: string): number | null {
  if (text === "0") return 0;
  const ms = parseAmount(text, durationUnits);
  return ms === null ? null : Math.round(ms);
}

/** Milliseconds of a whole number of minutes, hours, days or weeks, such as `36h` or `7d`, or `0`; null if it is not one. */
export function parseAge(text: string): number | null {
  if (text === "0") return 0;
  return text.includes(".") ? null : parseAmount(text, ageUnits);
}

function parseAmount(text: string, units: readonly DurationUnit[]): number | null {
  const [, amount, name] = /^(\d+(?:\.\d+)?)([a-z]+)$/.exec(text) ?? [];
  const unit = units.find((candidate) => candidate === name);
  return amount === undefined || unit === undefined ? null : Number(amount) * unitMs[unit];
}
