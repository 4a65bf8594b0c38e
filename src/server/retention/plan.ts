/** Computes what pruning would remove, without removing anything. */
import type { PruneCounts } from "../core/observer.ts";
import type { Db } from "../db/schema.ts";
import type { RetentionPolicy } from "./policy.ts";
import {
  countUnsettledSessions,
  findSessionsWithEvents,
  type PrunableSession,
  sumPrunableEvents,
} from "./queries.ts";
import { addTotals, nothingPruned } from "./steps.ts";

/** Sessions that one query adds up. */
const SESSIONS_PER_QUERY = 500;

export interface PrunePlan extends PruneCounts {
  /** Sessions whose events are old enough, but which must first be analyzed. */
  readonly waiting: number;
}

export async function planPruning(
  db: Db,
  { keepEventsMs }: RetentionPolicy,
  now: number,
): Promise<PrunePlan> {
  if (keepEventsMs === null) return { ...nothingPruned, waiting: 0 };
  const time = now - keepEventsMs;
  let totals = nothingPruned;
  let after: PrunableSession | null = null;
  for (;;) {
    const found: PrunableSession[] = await findSessionsWithEvents(db, time, after, SESSIONS_PER_QUERY);
    const sums = await sumPrunableEvents(db, time, after, SESSIONS_PER_QUERY);
    totals = addTotals(totals, { ...nothingPruned, ...sums, sessions: found.length });
    if (found.length < SESSIONS_PER_QUERY) break;
    after = found.at(-1) ?? null;
  }
  return { ...totals, waiting: await countUnsettledSessions(db, time) };
}
