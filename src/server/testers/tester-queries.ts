/** Reads testers: the rollup and sessions of one tester. */

import type { Insight } from "../../contract/insights.ts";
import type { TesterRollup } from "../../contract/testers.ts";
import { groupBy } from "../../shared/group-by.ts";
import type { Db } from "../db/schema.ts";
import type { TesterIdentity, TesterSessionFilter } from "../ids/tester-queries.ts";
import { toInsight } from "../insights/insight-queries.ts";
import { completeSessionItem, sessionItemColumns } from "../sessions/list-item.ts";
import { computeStats } from "../sessions/play-time-queries.ts";
import { selectSessions } from "../sessions/scope-queries.ts";

/** The rollup of a tester and the list items of the sessions (JSON texts), newest first; null without a session. */
export async function readTesterSessions(
  db: Db,
  gameId: string,
  { handle, deviceId, sessionFilter }: TesterIdentity,
): Promise<{ rollup: TesterRollup; items: string[] } | null> {
  const rows = await db
    .selectFrom("sessions")
    .select([
      ...sessionItemColumns,
      ...(["recorded_at", "build", "tester_handle", "country", "region", "city"] as const),
      ...(["wall_ms", "active_ms"] as const),
    ])
    .where("game_id", "=", gameId)
    .where(sessionFilter.column, "=", sessionFilter.value)
    .orderBy("recorded_at", "desc")
    .orderBy("id")
    .execute();
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (!newest || !oldest) return null;
  // The place of one session: parts of several sessions would be a place that does not exist.
  const located = rows.find(({ country, region, city }) => (country ?? region ?? city) !== null) ?? newest;
  const rollup = {
    deviceId,
    handle: handle ?? rows.find((row) => row.tester_handle !== null)?.tester_handle ?? null,
    sessionCount: rows.length,
    firstSeen: oldest.recorded_at,
    lastSeen: newest.recorded_at,
    stats: computeStats(rows),
    lastBuild: newest.build,
    country: located.country,
    region: located.region,
    city: located.city,
  };
  return { rollup, items: rows.map(completeSessionItem) };
}

/** The stored summary of a tester in an environment (`all`: the newest of any environment), or null. */
export async function readTesterSummary(db: Db, gameId: string, deviceId: string, env: string) {
  const row = await db
    .selectFrom("tester_summaries")
    .select(["narrative", "generated_at"])
    .where((eb) => eb.and({ game_id: gameId, device_id: deviceId }))
    .$if(env !== "all", (query) => query.where("environment", "=", env))
    .orderBy("generated_at", "desc")
    .orderBy("environment")
    .limit(1)
    .executeTakeFirst();
  return row ? { narrative: row.narrative, generatedAt: row.generated_at } : null;
}

/** A session of a journey: its list item as JSON text, and the columns that are computed with. */
export interface JourneySession {
  readonly id: string;
  readonly item: string;
  readonly build: string;
  readonly testerHandle: string | null;
  /** Unix ms. */
  readonly recordedAt: number;
  readonly activeMs: number;
}

/** A tester's sessions in an environment (`all`: all environments), oldest first. */
export async function readJourneySessions(
  db: Db,
  gameId: string,
  filter: TesterSessionFilter,
  env: string,
): Promise<JourneySession[]> {
  const rows = await selectSessions(db, { gameId, environment: env })
    .select([...sessionItemColumns, "id", "build", "tester_handle", "recorded_at", "active_ms"])
    .where(filter.column, "=", filter.value)
    .orderBy("recorded_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    item: completeSessionItem(row),
    build: row.build,
    testerHandle: row.tester_handle,
    recordedAt: row.recorded_at,
    activeMs: row.active_ms,
  }));
}

/** The insights of a tester's sessions by session id, newest first. */
export async function readJourneyInsights(
  db: Db,
  gameId: string,
  filter: TesterSessionFilter,
  env: string,
): Promise<Map<string, Insight[]>> {
  const rows = await db
    .selectFrom("insights")
    .selectAll()
    .where("game_id", "=", gameId)
    .where("session_id", "in", (eb) =>
      eb
        .selectFrom("sessions")
        .select("sessions.id")
        .where("sessions.game_id", "=", gameId)
        .where(`sessions.${filter.column}`, "=", filter.value)
        .$if(env !== "all", (query) => query.where("sessions.environment", "=", env)),
    )
    .orderBy("created_at", "desc")
    .orderBy("id")
    .execute();
  return groupBy(rows.map(toInsight), ({ sessionId }) => sessionId);
}
