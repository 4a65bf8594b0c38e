/** Reads journeys: one tester's sessions and what was found in each. */
import type { Insight } from "../../contract/insights.ts";
import type { Db } from "../db/schema.ts";

/** Who is meant by a name: the handle and its device, either of which may be unknown. */
export interface TesterIdentity {
  readonly handle: string | null;
  readonly deviceId: string | null;
}

/** The tester of a handle, with the device that is linked to it if any; undefined where no such handle is. */
export async function findDeviceOfHandle(
  db: Db,
  gameId: string,
  handle: string,
): Promise<TesterIdentity | undefined> {
  const row = await db
    .selectFrom("tester_handles")
    .select(["handle", "device_id"])
    .where("game_id", "=", gameId)
    .where("handle", "=", handle)
    .executeTakeFirst();
  return row ? { handle: row.handle, deviceId: row.device_id } : undefined;
}

/** The handles of devices, by device; a device is linked to one at most. */
export async function handlesOfDevices(
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

/** Whether any session of the game, in whatever environment, has the device. */
export async function deviceExists(db: Db, gameId: string, deviceId: string): Promise<boolean> {
  const row = await db
    .selectFrom("sessions")
    .select("id")
    .where("game_id", "=", gameId)
    .where("device_id", "=", deviceId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** A session of a journey: its list item as JSON text, and what is computed with. */
export interface JourneySession {
  readonly id: string;
  readonly item: string;
  readonly build: string;
  readonly testerHandle: string | null;
  /** Unix ms. */
  readonly recordedAt: number;
  readonly activeMs: number;
}

/** A device's sessions within an environment (`all`: every one), oldest first. */
export async function journeySessions(
  db: Db,
  gameId: string,
  deviceId: string,
  env: string,
): Promise<JourneySession[]> {
  const rows = await db
    .selectFrom("sessions")
    .select(["id", "item", "build", "tester_handle", "recorded_at", "active_ms"])
    .where("game_id", "=", gameId)
    .where("device_id", "=", deviceId)
    .$if(env !== "all", (query) => query.where("environment", "=", env))
    .orderBy("recorded_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    item: row.item,
    build: row.build,
    testerHandle: row.tester_handle,
    recordedAt: row.recorded_at,
    activeMs: row.active_ms,
  }));
}

/** The insights of a device's sessions by session, newest first; with no device none. */
export async function journeyInsights(
  db: Db,
  gameId: string,
  deviceId: string,
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
        .where("sessions.device_id", "=", deviceId)
        .$if(env !== "all", (query) => query.where("sessions.environment", "=", env)),
    )
    .orderBy("created_at", "desc")
    .orderBy("id")
    .execute();
  const bySession = new Map<string, Insight[]>();
  for (const row of rows) {
    const { id, session_id, type, sentiment, confidence, created_at, tag, title, evidence } = row;
    const one = {
      ...{ id, sessionId: session_id, type, sentiment, confidence },
      ...{ createdAt: created_at, tag, title, evidence },
    };
    const known = bySession.get(session_id);
    if (known) known.push(one);
    else bySession.set(session_id, [one]);
  }
  return bySession;
}
