/** Reads and writes exposures: which sessions were played in which variant, and what was found in them. */
import type { Db, ExperimentRow, InsightRow, SessionRow } from "../db/schema.ts";

/** Whose experiment it is. */
export type ExperimentKey = Pick<ExperimentRow, "game_id" | "id">;

function selectExposures(db: Db, experiment: ExperimentKey) {
  return db
    .selectFrom("exposures")
    .where("exposures.game_id", "=", experiment.game_id)
    .where("exposures.experiment_id", "=", experiment.id);
}

/** One session in one variant; a session seen in two variants is there twice. */
export type ExposedSession = Pick<
  SessionRow,
  "id" | "tester" | "device_id" | "recorded_at" | "wall_ms" | "active_ms" | "event_counts"
> & { readonly variant_key: string };

/** Every exposed session, oldest first. */
export async function readExposedSessions(db: Db, experiment: ExperimentKey): Promise<ExposedSession[]> {
  return await selectExposures(db, experiment)
    .innerJoin("sessions", (join) =>
      join
        .onRef("sessions.game_id", "=", "exposures.game_id")
        .onRef("sessions.id", "=", "exposures.session_id"),
    )
    .select([
      "sessions.id",
      "sessions.tester",
      "sessions.device_id",
      "sessions.recorded_at",
      "sessions.wall_ms",
      "sessions.active_ms",
      "sessions.event_counts",
      "exposures.variant_key",
    ])
    .orderBy("sessions.recorded_at")
    .orderBy("sessions.id")
    .orderBy("exposures.variant_key")
    .execute();
}

/** When each exposed device played, exposed or not, unix ms by device. */
export async function readSessionTimes(db: Db, experiment: ExperimentKey): Promise<Map<string, number[]>> {
  const devices = selectExposures(db, experiment)
    .innerJoin("sessions", (join) =>
      join
        .onRef("sessions.game_id", "=", "exposures.game_id")
        .onRef("sessions.id", "=", "exposures.session_id"),
    )
    .where("sessions.device_id", "is not", null)
    .select("sessions.device_id");
  const rows = await db
    .selectFrom("sessions")
    .select(["device_id", "recorded_at"])
    .where("game_id", "=", experiment.game_id)
    .where("device_id", "in", devices)
    .execute();
  const played = new Map<string, number[]>();
  for (const { device_id, recorded_at } of rows) {
    if (device_id === null) continue;
    const times = played.get(device_id);
    if (times) times.push(recorded_at);
    else played.set(device_id, [recorded_at]);
  }
  return played;
}

/** What was found in one exposed session. */
export type ExposedInsight = Pick<InsightRow, "session_id" | "tester" | "type" | "tag" | "sentiment">;

/** The insights of every exposed session. */
export async function readExposedInsights(db: Db, experiment: ExperimentKey): Promise<ExposedInsight[]> {
  return await selectExposures(db, experiment)
    .innerJoin("insights", (join) =>
      join
        .onRef("insights.game_id", "=", "exposures.game_id")
        .onRef("insights.session_id", "=", "exposures.session_id"),
    )
    .select(["insights.session_id", "insights.tester", "insights.type", "insights.tag", "insights.sentiment"])
    .orderBy("insights.id")
    .execute();
}

/** What the newest session of a device tells of it, or null for a device that is not known. */
export async function findNewestSession(db: Db, gameId: string, deviceId: string) {
  const row = await db
    .selectFrom("sessions")
    .select(["metadata", "environment", "country"])
    .where("game_id", "=", gameId)
    .where("device_id", "=", deviceId)
    .orderBy("recorded_at", "desc")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  if (!row) return null;
  const { platform } = JSON.parse(row.metadata) as { platform?: unknown };
  return {
    platform: typeof platform === "string" ? platform : null,
    environment: row.environment,
    country: row.country,
  };
}
