/** Formats the ages of a pruning policy. */
import { formatCount } from "../../../render/numbers.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/time-units.ts";

/** An age in whole days if possible, otherwise in hours. */
export function formatAge(ms: number): string {
  return ms % DAY_MS === 0 ? formatCount(ms / DAY_MS, "day") : formatCount(Math.round(ms / HOUR_MS), "hour");
}
