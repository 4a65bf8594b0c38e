/** The steps of pruning. Each is one small transaction, so that telemetry never waits long, and a killed run loses nothing. */
import type { PruneCounts } from "../core/observer.ts";
import type { Db } from "../db/schema.ts";
import {
  type BatchSize,
  deleteBatches,
  findBatchSizes,
  findSessionsWithEvents,
  markPruned,
  type PrunableSession,
} from "./prune-queries.ts";

/** The most that one step removes: a few ms, for which telemetry waits. */
const MAX_SESSIONS_PER_STEP = 32;
const MAX_BATCHES_PER_STEP = 128;
const MAX_BYTES_PER_STEP = 1024 * 1024;

export const nothingPruned: PruneCounts = { sessions: 0, events: 0, bytes: 0, deletedSessions: 0 };

export function hasRemoved({ sessions, events, deletedSessions }: PruneCounts): boolean {
  return sessions + events + deletedSessions > 0;
}

export function addTotals(a: PruneCounts, b: PruneCounts): PruneCounts {
  return {
    sessions: a.sessions + b.sessions,
    events: a.events + b.events,
    bytes: a.bytes + b.bytes,
    deletedSessions: a.deletedSessions + b.deletedSessions,
  };
}

type SessionRef = Pick<PrunableSession, "game_id" | "id">;

interface EventStep {
  readonly removed: PruneCounts;
  /** The session of which only some events were deleted. */
  readonly unfinished: SessionRef | null;
  /** The last session that was looked at. */
  readonly after: PrunableSession | null;
  /** Whether no session is left. */
  readonly done: boolean;
}

interface EventStepOptions {
  /** Sessions that ended before this time are pruned, unix ms; null to only finish the unfinished one. */
  readonly time: number | null;
  readonly now: number;
  readonly after: PrunableSession | null;
  readonly unfinished: SessionRef | null;
}

/**
 * Removes the events of some sessions, oldest first. A session is marked before its first event is deleted, so that nobody
 * ever takes a part of its events for all of them.
 */
export async function pruneEvents(
  db: Db,
  { time, now, after, unfinished }: EventStepOptions,
): Promise<EventStep> {
  let [sessions, batches, events, bytes, last] = [0, 0, 0, 0, after];
  const remaining = () => ({ batches: MAX_BATCHES_PER_STEP - batches, bytes: MAX_BYTES_PER_STEP - bytes });
  const result = (rest: Pick<EventStep, "unfinished" | "done">): EventStep => ({
    removed: { sessions, events, bytes, deletedSessions: 0 },
    after: last,
    ...rest,
  });
  const removeFrom = async (session: SessionRef) => {
    const { deleted, complete } = await deleteSomeBatches(db, session, remaining());
    batches += deleted.length;
    for (const batch of deleted) {
      events += batch.events;
      bytes += batch.bytes;
    }
    return complete;
  };
  if (unfinished && !(await removeFrom(unfinished))) return result({ unfinished, done: false });
  if (time === null) return result({ unfinished: null, done: true });
  const found = await findSessionsWithEvents(db, { before: time }, after, MAX_SESSIONS_PER_STEP);
  for (const session of found) {
    if (batches >= MAX_BATCHES_PER_STEP || bytes >= MAX_BYTES_PER_STEP)
      return result({ unfinished: null, done: false });
    last = session;
    if (!(await markPruned(db, session, { time, now }))) continue;
    sessions += 1;
    if (!(await removeFrom(session))) return result({ unfinished: session, done: false });
  }
  return result({ unfinished: null, done: found.length < MAX_SESSIONS_PER_STEP });
}

/** Deletes batches of a session within the budget, but at least one. `complete` is whether it has no more. */
async function deleteSomeBatches(
  db: Db,
  session: SessionRef,
  budget: { readonly batches: number; readonly bytes: number },
): Promise<{ deleted: readonly BatchSize[]; complete: boolean }> {
  const limit = Math.max(1, budget.batches);
  const batches = await findBatchSizes(db, session, limit + 1);
  let bytes = 0;
  const end = batches.findIndex((batch, index) => {
    bytes += batch.bytes;
    return index > 0 && (bytes > budget.bytes || index >= limit);
  });
  const deleted = end < 0 ? batches : batches.slice(0, end);
  const lastSeq = deleted.at(-1)?.seq;
  if (lastSeq !== undefined) await deleteBatches(db, session, lastSeq);
  return { deleted, complete: end < 0 };
}
