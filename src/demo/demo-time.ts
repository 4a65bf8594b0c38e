/** The time of the demo. */
import { DAY_MS } from "../shared/time-units.ts";

/**
 * The time that all times of the demo are relative to, in unix ms: the start of the UTC day of `now`, so that the demo shows
 * the same figures at every hour.
 */
export const findDemoTime = (now: number): number => Math.floor(now / DAY_MS) * DAY_MS;
