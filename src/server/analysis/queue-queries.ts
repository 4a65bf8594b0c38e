/** The analysis queue, stored in columns of the sessions: which sessions are due, and which are leased. */
import type { ExpressionBuilder } from "kysely";
import type { Db, Schema, SessionRow } from "../db/schema.ts";

const isUnleased = (now: number) => (eb: ExpressionBuilder<Schema, "sessions">) =>
  eb.or([eb("analysis_lease", "is", null), eb("analysis_lease", "<=", now)]);

/** Maximum number of due sessions to try, because other servers may be claiming some at the same moment. */
const MAX_CANDIDATES = 32;

/**
 * Locks one of the sessions that have been due longest at `now` and have no lease, until the transaction ends. Returns
 * undefined if there is none. Due sessions are found without locks and then locked by key, so that sessions locked by
 * another server are skipped.
 */
export async function lockNextDue(db: Db, now: number): Promise<SessionRow | undefined> {
  const due = await db
    .selectFrom("sessions")
    .select(["game_id", "id"])
    .where("analysis_due", "<=", now)
    .where(isUnleased(now))
    .orderBy("analysis_due")
    .orderBy("id")
    .limit(MAX_CANDIDATES)
    .execute();
  for (const { game_id, id } of due) {
    const row = await db
      .selectFrom("sessions")
      .selectAll()
      .where("game_id", "=", game_id)
      .where("id", "=", id)
      .where("analysis_due", "<=", now)
      .where(isUnleased(now))
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (row) return row;
  }
  return undefined;
}

/** When the next session is due or its lease expires, in unix ms; null if none is queued. */
export async function nextDueTime(db: Db, now: number): Promise<number | null> {
  const unleased = await db
    .selectFrom("sessions")
    .select((eb) => eb.fn.min<number | null>("analysis_due").as("at"))
    .where("analysis_due", "is not", null)
    .where(isUnleased(now))
    .executeTakeFirst();
  const leased = await db
    .selectFrom("sessions")
    .select((eb) => eb.fn.min<number | null>("analysis_lease").as("at"))
    .where("analysis_due", "<=", now)
    .where("analysis_lease", ">", now)
    .executeTakeFirst();
  const times = [unleased?.at, leased?.at].flatMap((at) => at ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

/** Extends a lease. Returns false if the session no longer has that lease. */
export async function renewLease(
  db: Db,
  { game_id, id, analysis_lease }: Pick<SessionRow, "game_id" | "id" | "analysis_lease">,
  until: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("sessions")
    .set({ analysis_lease: until })
    .where("game_id", "=", game_id)
    .where("id", "=", id)
    .where("analysis_lease", "=", analysis_lease)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Releases every lease. For SQLite at startup: the only process that could have held them has most likely died. */
export async function releaseAllLeases(db: Db): Promise<void> {
  await db
    .updateTable("sessions")
    .set({ analysis_lease: null })
    .where("analysis_lease", "is not", null)
    .execute();
}
