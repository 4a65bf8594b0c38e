/** Reads journeys: the sessions of one tester and their insights. */
import type { Insight } from "../../contract/insights.ts";
import type { Db } from "../db/schema.ts";
import type { TesterSessionFilter } from "../ids/tester-queries.ts";
import { completeSessionItem, sessionItemColumns } from "../sessions/list-item.ts";

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
  const rows = await db
    .selectFrom("sessions")
    .select([...sessionItemColumns, "id", "build", "tester_handle", "recorded_at", "active_ms"])
    .where("game_id", "=", gameId)
    .where(filter.column, "=", filter.value)
    .$if(env !== "all", (query) => query.where("environment", "=", env))
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
  const bySession = new Map<string, Insight[]>();
  for (const row of rows) {
    const { id, session_id, type, sentiment, confidence, created_at, tag, title, evidence } = row;
    const insight = {
      id,
      sessionId: session_id,
      type,
      sentiment,
      confidence,
      createdAt: created_at,
      tag,
      title,
      evidence,
    };
    const insights = bySession.get(session_id);
    if (insights) insights.push(insight);
    else bySession.set(session_id, [insight]);
  }
  return bySession;
}
