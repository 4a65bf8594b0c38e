/** Queries for health checks and metrics. */

import { ANALYSIS_VERSION } from "../analysis/version.ts";
import type { Db } from "../db/schema.ts";
import { isReachable } from "../db/sharding.ts";

/** Counting stops here, so that a scrape stays cheap when the queue is long. */
export const MAX_COUNTED = 10_000;

/** Reads one row of a small table. Throws the error of the database if it does not respond. */
export async function pingDatabase(db: Db): Promise<void> {
  await db.selectFrom("accounts").select("id").limit(1).execute();
}

/** The number of sessions that are analyzed only by older rules, because their events are pruned, at most `MAX_COUNTED`. */
export async function countOutdatedPruned(db: Db): Promise<number> {
  const row = await db
    .selectFrom((from) =>
      from
        .selectFrom("sessions")
        .select("id")
        .where("analysis_version", "<", ANALYSIS_VERSION)
        .where("events_pruned_at", "is not", null)
        .where(isReachable(db))
        .limit(MAX_COUNTED)
        .as("outdated"),
    )
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/** The number of sessions due for analysis at `now` (unix ms), at most `MAX_COUNTED`. */
export async function countDueSessions(db: Db, now: number): Promise<number> {
  const row = await db
    .selectFrom((from) =>
      from
        .selectFrom("sessions")
        .select("id")
        .where("analysis_due", "<=", now)
        .where(isReachable(db))
        .limit(MAX_COUNTED)
        .as("due"),
    )
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}
