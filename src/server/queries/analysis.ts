/** The analysis' queue, kept in the sessions themselves: who is due, who holds it, and what came of it. */
import type { Db, SessionRow } from "../db/schema.ts";

/** The session longest due at `now` that nobody holds, or undefined. */
export async function nextDue(db: Db, now: number): Promise<SessionRow | undefined> {
  return await db
    .selectFrom("sessions")
    .selectAll()
    .where("analysis_due", "<=", now)
    .where((eb) => eb.or([eb("analysis_lease", "is", null), eb("analysis_lease", "<=", now)]))
    .orderBy("analysis_due")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
}

/** When the next session falls due or is let go, unix ms; null when none waits. */
export async function nextDueTime(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom("sessions")
    .select(["analysis_due", "analysis_lease"])
    .where("analysis_due", "is not", null)
    .orderBy("analysis_due")
    .limit(1)
    .executeTakeFirst();
  return row ? Math.max(row.analysis_due ?? 0, row.analysis_lease ?? 0) : null;
}

/** Lets go of every session: for a process that serves a database file, at its start, as what held them is mostly dead. */
export async function releaseAll(db: Db): Promise<void> {
  await db
    .updateTable("sessions")
    .set({ analysis_lease: null })
    .where("analysis_lease", "is not", null)
    .execute();
}
