/** The flags of a pruning policy, and its ages in words. */
import { formatCount } from "../../../render/numbers.ts";
import type { PruningPolicy } from "../../../server/pruning/policy.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/time-units.ts";
import { age, type FlagValues } from "../../flags.ts";

export const pruningFlags = {
  keepEvents: age(
    "--keep-events <age>",
    "remove the events of sessions that ended longer ago, such as 90d (default: keep all)",
  ),
  keepSessions: age(
    "--keep-sessions <age>",
    "delete sessions that ended longer ago, such as 400d (default: keep all)",
  ),
} as const;

type PruningValues = FlagValues<typeof pruningFlags>;

export function toPolicy({ keepEvents, keepSessions }: PruningValues): PruningPolicy {
  return { keepEventsMs: keepEvents ?? null, keepSessionsMs: keepSessions ?? null };
}

/** An age in whole days if possible, otherwise in hours. */
export function formatAge(ms: number): string {
  return ms % DAY_MS === 0 ? formatCount(ms / DAY_MS, "day") : formatCount(Math.round(ms / HOUR_MS), "hour");
}
