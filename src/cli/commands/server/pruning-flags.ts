/** The flags of a pruning policy. */
import type { PruningPolicy } from "../../../server/pruning/policy.ts";
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
