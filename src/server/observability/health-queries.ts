/** Queries for health checks and metrics. */

import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import { ANALYSIS_VERSION } from "../analysis/version.ts";
import type { Db, Schema } from "../db/schema.ts";
import { isReachable } from "../db/sharding.ts";

/** Counting stops here, so that a scrape stays cheap when the queue is long. */
export const MAX_COUNTED = 10_000;

/** Reads one row of a small table. Throws the error of the database if it does not respond. */
export async function pingDatabase(db: Db): Promise<void> {
  await db.selectFrom("accounts").select("id").limit(1).execute();
}

/** The number of sessions that are analyzed only by older rules, because their events are pruned, at most `MAX_COUNTED`. */
export const countOutdatedPruned = async (db: Db): Promise<number> =>
  await countSessions(db, (eb) =>
    eb.and([eb("analysis_version", "<", ANALYSIS_VERSION), eb("events_pruned_at", "is not", null)]),
  );

/** The number of sessions due for analysis at `now` (unix ms), at most `MAX_COUNTED`. */
export const countDueSessions = async (db: Db, now: number): Promise<number> =>
  await countSessions(db, (eb) => eb("analysis_due", "<=", now));

async function countSessions(
  db: Db,
  matches: (eb: ExpressionBuilder<Schema, "sessions">) => Expression<SqlBool>,
): Promise<number> {
  const row = await db
    .selectFrom((from) =>
      from
        .selectFrom("sessions")
        .select("id")
        .where(matches)
        .where(isReachable(db))
        .limit(MAX_COUNTED)
        .as("counted"),
    )
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}
