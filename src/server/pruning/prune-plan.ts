/** Computes what pruning would remove, without removing anything. */
import type { PruneCounts } from "../core/observer.ts";
import type { Db } from "../db/schema.ts";
import type { PruningPolicy } from "./policy.ts";
import {
  countExpiredSessions,
  countUnsettledSessions,
  findSessionsWithEvents,
  listGameIds,
  type PrunableSession,
  sumPrunableEvents,
} from "./prune-queries.ts";
import { addTotals, nothingPruned } from "./steps.ts";

/** Sessions that one query adds up. */
const SESSIONS_PER_QUERY = 500;

export interface PrunePlan extends PruneCounts {
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
