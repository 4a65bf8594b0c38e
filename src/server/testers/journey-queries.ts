/** Reads journeys: the sessions of one tester and their insights. */
import type { Insight } from "../../contract/insights.ts";
import type { Db } from "../db/schema.ts";
import { completeSessionItem, sessionItemColumns } from "../sessions/list-item.ts";

/** Selects the sessions of a tester: those of a device, those that name a handle, or one session without a device. */
export interface TesterSessionFilter {
  readonly column: "device_id" | "tester_handle" | "id";
  readonly value: string;
}

/** A tester that a name was resolved to. The handle or the device may be unknown. */
export interface TesterIdentity {
  readonly handle: string | null;
  readonly deviceId: string | null;
  readonly sessionFilter: TesterSessionFilter;
}

/** The device of the newest session that names a handle (null if it sent none); undefined if no session names it. */
export async function findNewestWithHandle(
  db: Db,
  gameId: string,
  handle: string,
): Promise<{ deviceId: string | null } | undefined> {
  const row = await db
    .selectFrom("sessions")
    .select("device_id")
    .where("game_id", "=", gameId)
    .where("tester_handle", "=", handle)
    .orderBy("recorded_at", "desc")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row ? { deviceId: row.device_id } : undefined;
}

/** The handles of devices, by device id. A device is linked to at most one handle. */
export async function findHandlesByDevice(
  db: Db,
  gameId: string,
  deviceIds: readonly string[],
): Promise<Map<string, string>> {
  if (deviceIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("tester_handles")
    .select(["handle", "device_id"])
    .where("game_id", "=", gameId)
    .where("device_id", "in", [...deviceIds])
    .execute();
  return new Map(rows.flatMap(({ device_id, handle }) => (device_id === null ? [] : [[device_id, handle]])));
}

/** Whether the game has a session of the tester in any environment. A session with a device is no tester. */
export async function testerExists(
  db: Db,
  gameId: string,
  { column, value }: TesterSessionFilter,
): Promise<boolean> {
  const row = await db
    .selectFrom("sessions")
    .select("id")
    .where("game_id", "=", gameId)
    .where(column, "=", value)
    .$if(column === "id", (query) => query.where("device_id", "is", null))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
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
      ...{ id, sessionId: session_id, type, sentiment, confidence },
      ...{ createdAt: created_at, tag, title, evidence },
    };
    const insights = bySession.get(session_id);
    if (insights) insights.push(insight);
    else bySession.set(session_id, [insight]);
  }
  return bySession;
}
