/** Limits how many stored events one request reads. */
import type { ScopedSession } from "./session-queries.ts";

/** The maximum number of events and of sessions that one request reads. */
export const MAX_READ_EVENTS = 1_000_000;
export const MAX_READ_SESSIONS = 10_000;

/** The number of stored events of a session. */
export function countEvents({ event_counts }: Pick<ScopedSession, "event_counts">): number {
  return Object.values(JSON.parse(event_counts) as Record<string, number>).reduce((sum, n) => sum + n, 0);
}

/** Selects sessions in the given order until their events reach the limit. The first one is always selected. */
export function selectWithinLimit<S extends Pick<ScopedSession, "event_counts">>(
  sessions: readonly S[],
  maxEvents = MAX_READ_EVENTS,
): { readonly selected: readonly S[]; readonly skipped: number } {
  let events = 0;
  const end = sessions.findIndex((session, at) => {
    events += countEvents(session);
    return at >= MAX_READ_SESSIONS || (at > 0 && events > maxEvents);
  });
  const selected = end === -1 ? sessions : sessions.slice(0, end);
  return { selected, skipped: sessions.length - selected.length };
}
