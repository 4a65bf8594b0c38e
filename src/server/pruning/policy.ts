/** What pruning removes: the events of sessions that ended long ago, and whole sessions. */

/** Ages in ms; null to keep everything. A session is as old as the time since its end. */
export interface PruningPolicy {
  /** How long events are kept after the end of their session. */
  readonly keepEventsMs: number | null;
  /** How long sessions are kept after their end. */
  readonly keepSessionsMs: number | null;
}

export const keepEverything: PruningPolicy = { keepEventsMs: null, keepSessionsMs: null };

/** Whether a policy ever removes anything. */
export function removesData({ keepEventsMs, keepSessionsMs }: PruningPolicy): boolean {
  return keepEventsMs !== null || keepSessionsMs !== null;
}
