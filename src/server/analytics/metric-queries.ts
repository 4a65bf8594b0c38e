/** Reads the sessions of a build for metrics. */

import { type BuildScope, selectBuildSessions } from "../builds/build-queries.ts";
import type { Db } from "../db/schema.ts";

/** What metrics need of a session. */
export type MetricSession = Awaited<ReturnType<typeof readMetricSessions>>[number];

/** All sessions of a build, the oldest first. */
export async function readMetricSessions(db: Db, build: BuildScope) {
  return await selectBuildSessions(db, build)
    .select(["id", "tester", "device_id", "recorded_at", "wall_ms", "active_ms", "event_counts"])
    .orderBy("recorded_at")
    .orderBy("id")
    .execute();
}

/** The number of crash events of each of these sessions that report the crash of an earlier session, by session id. */
export async function countReportsOfOthers(
  db: Db,
  { gameId, version, environment }: BuildScope,
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("sessions")
    .innerJoin("crash_reports", (join) =>
      join
        .onRef("crash_reports.game_id", "=", "sessions.game_id")
        .onRef("crash_reports.session_id", "=", "sessions.id"),
    )
    .select((eb) => ["sessions.id", eb.fn.countAll<number>().as("reports")])
    .where((eb) => eb.and({ "sessions.game_id": gameId, "sessions.build": version }))
    .$if(environment !== "all", (query) => query.where("sessions.environment", "=", environment))
    .groupBy("sessions.id")
    .execute();
  return new Map(rows.map(({ id, reports }) => [id, Number(reports)]));
}

/** The sessions of a build whose crash a later session reported. */
export async function findCrashedSessions(
  db: Db,
  { gameId, version, environment }: BuildScope,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom("sessions")
    .innerJoin("crash_reports", (join) =>
      join
        .onRef("crash_reports.game_id", "=", "sessions.game_id")
        .onRef("crash_reports.crashed_session_id", "=", "sessions.id"),
    )
    .select("sessions.id")
    .distinct()
    .where((eb) => eb.and({ "sessions.game_id": gameId, "sessions.build": version }))
    .$if(environment !== "all", (query) => query.where("sessions.environment", "=", environment))
    .execute();
  return new Set(rows.map(({ id }) => id));
}
