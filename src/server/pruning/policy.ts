/** What pruning removes: the events of sessions that ended long ago, and whole sessions. */
import type { PruneCounts } from "../core/observer.ts";
import type { Db } from "../db/schema.ts";
import {
  countExpiredSessions,
  countUnsettledSessions,
  findSessionsWithEvents,
  listGameIds,
  type PrunableSession,
  sumPrunableEvents,
} from "./prune-queries.ts";
import { addTotals, nothingPruned } from "./steps.ts";

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

/** Sessions that one query adds up. */
const SESSIONS_PER_QUERY = 500;

interface PrunePlan extends PruneCounts {
  /** Sessions whose events are old enough, but which must first be analyzed. */
  readonly waiting: number;
}

export async function planPruning(
  db: Db,
  { keepEventsMs, keepSessionsMs }: PruningPolicy,
  now: number,
): Promise<PrunePlan> {
  const sessionsBefore = keepSessionsMs === null ? null : now - keepSessionsMs;
  const deletedSessions = sessionsBefore === null ? 0 : await countExpired(db, sessionsBefore);
  if (keepEventsMs === null) return { ...nothingPruned, deletedSessions, waiting: 0 };
  const range = { before: now - keepEventsMs, after: sessionsBefore };
  let totals = { ...nothingPruned, deletedSessions };
  let after: PrunableSession | null = null;
  for (;;) {
    const found: PrunableSession[] = await findSessionsWithEvents(db, range, after, SESSIONS_PER_QUERY);
    const sums = await sumPrunableEvents(db, range, after, SESSIONS_PER_QUERY);
    totals = addTotals(totals, { ...nothingPruned, ...sums, sessions: found.length });
    if (found.length < SESSIONS_PER_QUERY) break;
    after = found.at(-1) ?? null;
  }
  return { ...totals, waiting: await countUnsettledSessions(db, range.before) };
}

async function countExpired(db: Db, time: number): Promise<number> {
  let sessions = 0;
  for (const gameId of await listGameIds(db)) sessions += await countExpiredSessions(db, gameId, time);
  return sessions;
}
