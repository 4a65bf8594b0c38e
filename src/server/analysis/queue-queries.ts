/** The analysis' queue, kept in the sessions themselves: who is due, who holds it, and when the next is. */
import type { ExpressionBuilder } from "kysely";
import type { Db, Schema, SessionRow } from "../db/schema.ts";

const isUnleased = (now: number) => (eb: ExpressionBuilder<Schema, "sessions">) =>
  eb.or([eb("analysis_lease", "is", null), eb("analysis_lease", "<=", now)]);

/** How many sessions are looked at for one that no other server is taking at this moment. */
const MAX_CANDIDATES = 32;

/**
 * One of the sessions longest due at `now` that nobody holds, held until the transaction ends; undefined where none is.
 * Who is due is found without locks and locked by its key: another server may be faster, and its session is passed over.
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

/** When the next session falls due or is let go, unix ms; null when none waits. */
export async function nextDueTime(db: Db, now: number): Promise<number | null> {
  const free = await db
    .selectFrom("sessions")
    .select((eb) => eb.fn.min<number | null>("analysis_due").as("at"))
    .where("analysis_due", "is not", null)
    .where(isUnleased(now))
    .executeTakeFirst();
  const held = await db
    .selectFrom("sessions")
    .select((eb) => eb.fn.min<number | null>("analysis_lease").as("at"))
    .where("analysis_due", "<=", now)
    .where("analysis_lease", ">", now)
    .executeTakeFirst();
  const times = [free?.at, held?.at].flatMap((at) => at ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

/** Moves the end of a lease. Answers false where the session is held by that lease no longer. */
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

/** Lets go of every session: for the one process that serves a file, at its start, as what held them is mostly dead. */
export async function releaseAllLeases(db: Db): Promise<void> {
  await db
    .updateTable("sessions")
    .set({ analysis_lease: null })
    .where("analysis_lease", "is not", null)
    .execute();
}
