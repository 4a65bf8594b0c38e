/** Lengths of time in milliseconds. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const WEEK_MS = 7 * DAY_MS;

/** The UTC day of a time, such as 2026-03-01. */
export const formatUtcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
