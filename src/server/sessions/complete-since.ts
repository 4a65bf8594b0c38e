/** Since when an answer from events is complete. */
import type { SessionRow } from "../db/schema.ts";

/** The time after the start of the newest session whose events were pruned, unix ms; null if there is none. */
export function findCompleteSince(
  sessions: readonly Pick<SessionRow, "recorded_at" | "events_pruned_at">[],
): number | null {
  const pruned = sessions.filter((session) => session.events_pruned_at !== null);
  return pruned.reduce<number | null>((last, { recorded_at: start }) => Math.max(last ?? 0, start + 1), null);
}
