/** Durations as people type them: a number and its unit. */
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from "./time-units.ts";

/** Milliseconds by unit. */
const unitMs = { ms: 1, s: 1000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: WEEK_MS } as const;
type DurationUnit = keyof typeof unitMs;

/** The units of durations (timeouts and waits) and of ages. */
export const durationUnits: readonly DurationUnit[] = ["ms", "s", "m", "h", "d"];
export const ageUnits: readonly DurationUnit[] = ["m", "h", "d", "w"];

/** Follows "is not" in the error for an invalid duration. */
export const DURATION_SYNTAX = "a duration such as 500ms, 30s, 5m, 2h, 7d or 0";

/** Follows "is not" in the error for an invalid age. */
export const AGE_SYNTAX = "an age such as 36h, 2d, 1w or 0";

/** Parses a duration such as `500ms`, `1.5s`, `5m`, `7d` or `0` to milliseconds; null if invalid. */
export function parseDuration(text: string): number | null {
  if (text === "0") return 0;
  const ms = parseAmount(text, durationUnits);
  return ms === null ? null : Math.round(ms);
}

/** Parses an age in whole minutes, hours, days or weeks, such as `36h` or `7d`, or `0`, to milliseconds; null if invalid. */
export function parseAge(text: string): number | null {
  if (text === "0") return 0;
  return text.includes(".") ? null : parseAmount(text, ageUnits);
}

function parseAmount(text: string, units: readonly DurationUnit[]): number | null {
  const [, amount, name] = /^(\d+(?:\.\d+)?)([a-z]+)$/.exec(text) ?? [];
  const unit = units.find((candidate) => candidate === name);
  return amount === undefined || unit === undefined ? null : Number(amount) * unitMs[unit];
}
