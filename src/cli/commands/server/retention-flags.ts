/** The flags of a retention policy. */
import type { RetentionPolicy } from "../../../server/retention/policy.ts";
import { age, type FlagValues } from "../../flags.ts";

export const retentionFlags = {
  keepEvents: age(
    "--keep-events <age>",
    "remove the events of sessions that ended longer ago, such as 90d (default: keep all)",
  ),
  keepSessions: age(
    "--keep-sessions <age>",
    "delete sessions that ended longer ago, such as 400d (default: keep all)",
  ),
} as const;

type RetentionValues = FlagValues<typeof retentionFlags>;

export function toPolicy({ keepEvents, keepSessions }: RetentionValues): RetentionPolicy {
  return { keepEventsMs: keepEvents ?? null, keepSessionsMs: keepSessions ?? null };
}
