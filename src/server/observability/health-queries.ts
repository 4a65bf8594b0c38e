/** Queries for health checks and metrics. */

import { type Expression, type ExpressionBuilder, type SqlBool, sql } from "kysely";
import { ANALYSIS_VERSION } from "../analysis/version.ts";
import { countUpToLimit } from "../db/rows.ts";
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

/** Since when the first session of the queue has been due, or when it will be, unix ms; null if the queue is empty. */
export async function findOldestDue(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom("sessions")
    .select("analysis_due as at")
    .where("analysis_due", "is not", null)
    .where(isReachable(db))
    .orderBy("analysis_due")
    .limit(1)
    .executeTakeFirst();
  return row?.at ?? null;
}

/**
 * When the oldest session was received that is no longer played and was never analyzed, unix ms; null without one. Also finds one
 * that waits for another attempt, among the first `MAX_COUNTED` of the queue.
 */
export async function findOldestUnanalyzed(db: Db, now: number): Promise<number | null> {
  const row = await db
    .selectFrom((from) =>
      from
        .selectFrom("sessions")
        .select([
          "received_at",
          "recorded_at",
          "analysis_version",
          "analysis_due",
          "analysis_attempts",
          "ended",
        ])
        .where("analysis_due", "is not", null)
        .where(isReachable(db))
        .orderBy("analysis_due")
        .limit(MAX_COUNTED)
        .as("queued"),
    )
    .select(sql<number | null>`min(coalesce(received_at, recorded_at))`.as("at"))
    .where("analysis_version", "is", null)
    .where((eb) =>
      eb.or([eb("analysis_due", "<=", now), eb("analysis_attempts", ">", 0), eb("ended", "=", 1)]),
    )
    .executeTakeFirst();
  return row?.at ?? null;
}

async function countSessions(
  db: Db,
  matches: (eb: ExpressionBuilder<Schema, "sessions">) => Expression<SqlBool>,
): Promise<number> {
  const sessions = db.selectFrom("sessions").select("id").where(matches).where(isReachable(db));
  return await countUpToLimit(db, sessions.limit(MAX_COUNTED));
}
