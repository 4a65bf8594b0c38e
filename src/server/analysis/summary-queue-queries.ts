/**
 * The queue of summaries: a row for each build with new results. It is due when no session of the build was analyzed in the last
 * minutes, or when the first result has waited long enough.
 */
import { sql } from "kysely";
import { HOUR_MS, MINUTE_MS } from "../../shared/time-units.ts";
import { prepareQuery } from "../db/prepared.ts";
import { isQuarantined } from "../db/quarantined-ids.ts";
import { updateRows } from "../db/rows.ts";
import type { Db, SessionRow, SummaryQueueRow } from "../db/schema.ts";
import { isReachable } from "../db/sharding.ts";

/** A build counts as quiet when none of its sessions was analyzed for this long, in ms. */
export const QUIET_MS = 10 * MINUTE_MS;
/** The longest wait for a build to become quiet, in ms. */
export const MAX_WAIT_MS = HOUR_MS;
/** Time between two summaries of a build, in ms. */
export const RENEW_INTERVAL_MS = HOUR_MS;
/** Time after which another server continues the work of one that has ended, in ms. Longer than models take for one pass. */
const LEASE_MS = 15 * MINUTE_MS;
/** No row is due later, in ms from now. A later time was set before the clock was set back. */
const MAX_DUE_MS = 2 * HOUR_MS;

/** Queues the summaries of a session's build, because its results have changed. */
export async function queueSummaries(
  db: Db,
  { game_id, build, environment }: Pick<SessionRow, "game_id" | "build" | "environment">,
  now: number,
): Promise<void> {
  // Quarantined sessions have no summaries.
  if (isQuarantined(game_id)) return;
  const queued = { game_id, build, environment, queued_at: now };
  await queueSummariesQuery(db, { ...queued, due_at: now + QUIET_MS, is_written: 0 });
}

const queueSummariesQuery = prepareQuery((db, row: SummaryQueueRow) =>
  db
    .insertInto("summary_queue")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["game_id", "build", "environment"]).doUpdateSet({
        due_at: sql<number>`case when summary_queue.queued_at + ${MAX_WAIT_MS} < excluded.due_at
          then summary_queue.queued_at + ${MAX_WAIT_MS} else excluded.due_at end`,
        is_written: 0,
      }),
    ),
);

/**
 * Marks the summary of a session's tester as outdated, because its facts have changed although no data was added. New results are
 * instead found by their time.
 */
export async function outdateTesterSummary(
  db: Db,
  { game_id, device_id, environment }: Pick<SessionRow, "game_id" | "device_id" | "environment">,
): Promise<void> {
  if (device_id === null) return;
  await updateRows(db, "tester_summaries", { game_id, device_id, environment }, { rules_version: 0 });
}

/** The builds whose summaries are due, the longest overdue first. At most `limit`. */
export async function findDueSummaries(db: Db, now: number, limit: number): Promise<SummaryQueueRow[]> {
  return await db
    .selectFrom("summary_queue")
    .selectAll()
    .where((eb) => eb.or([eb("due_at", "<=", now), eb("due_at", ">", now + MAX_DUE_MS)]))
    .where(isReachable(db))
    .orderBy("due_at")
    .orderBy("build")
    .limit(limit)
    .execute();
}

/**
 * Takes the lease of a row until another server may continue its work. Returns undefined if the row has changed, for example
 * because another server has taken it.
 */
export async function claimSummaries(
  db: Db,
  row: SummaryQueueRow,
  now: number,
): Promise<SummaryQueueRow | undefined> {
  const claimed = { ...row, due_at: now + LEASE_MS };
  return (await updateClaimed(db, row, claimed)) ? claimed : undefined;
}

/**
 * Ends a lease: with what is left to do, or without anything. A row that was queued again in the meantime is kept, but
 * waits from `now` on.
 */
export async function releaseSummaries(
  db: Db,
  claimed: SummaryQueueRow,
  left: Pick<SummaryQueueRow, "due_at" | "is_written" | "queued_at"> | null,
  now: number,
): Promise<void> {
  const isOwn = left === null ? await deleteClaimed(db, claimed) : await updateClaimed(db, claimed, left);
  if (isOwn || left?.queued_at === claimed.queued_at) return;
  const { game_id, build, environment, queued_at } = claimed;
  await updateRows(db, "summary_queue", { game_id, build, environment, queued_at }, { queued_at: now });
}

async function deleteClaimed(
  db: Db,
  { game_id, build, environment, due_at }: SummaryQueueRow,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("summary_queue")
    .where((eb) => eb.and({ game_id, build, environment, due_at }))
    .executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}

/** Changes a row if it is still due at the same time. */
async function updateClaimed(
  db: Db,
  { game_id, build, environment, due_at }: SummaryQueueRow,
  { due_at: nextDueAt, is_written, queued_at }: Pick<SummaryQueueRow, "due_at" | "is_written" | "queued_at">,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("summary_queue")
    .set({ due_at: nextDueAt, is_written, queued_at })
    .where((eb) => eb.and({ game_id, build, environment, due_at }))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}
