/** What those who watch the service ask its database: whether it answers, and how many sessions wait. */
import type { Db } from "../db/schema.ts";

/** Counts no further than this, so that a look at a long queue costs no more than one at a short one. */
export const MAX_COUNTED = 10_000;

/** Reads a row of the smallest table there is. Throws what the database throws. */
export async function pingDatabase(db: Db): Promise<void> {
  await db.selectFrom("accounts").select("id").limit(1).execute();
}

/** How many sessions are due for analysis at `now`, unix ms; at most `MAX_COUNTED`. */
export async function countDueSessions(db: Db, now: number): Promise<number> {
  const row = await db
    .selectFrom((from) =>
      from.selectFrom("sessions").select("id").where("analysis_due", "<=", now).limit(MAX_COUNTED).as("due"),
    )
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}
