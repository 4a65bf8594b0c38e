/** Reads exposures: which sessions were played in which variant, and their insights. */
import { readInParts } from "../db/rows.ts";
import type { Db, ExperimentRow } from "../db/schema.ts";

export type ExperimentKey = Pick<ExperimentRow, "game_id" | "id">;

function selectExposures(db: Db, experiment: ExperimentKey) {
  return db
    .selectFrom("exposures")
    .where("exposures.game_id", "=", experiment.game_id)
    .where("exposures.experiment_id", "=", experiment.id);
}

/** One session in one variant. A session that was seen in two variants occurs twice. */
export type ExposedSession = Awaited<ReturnType<typeof readExposedSessions>>[number];

/** All exposed sessions, oldest first. */
export async function readExposedSessions(db: Db, experiment: ExperimentKey) {
  return await selectExposures(db, experiment)
    .innerJoin("sessions", (join) =>
      join
        .onRef("sessions.game_id", "=", "exposures.game_id")
        .onRef("sessions.id", "=", "exposures.session_id"),
    )
    .select(["sessions.id", "sessions.tester", "sessions.device_id", "sessions.recorded_at"])
    .select(["sessions.wall_ms", "sessions.active_ms", "sessions.event_counts", "exposures.variant_key"])
    .orderBy("sessions.recorded_at")
    .orderBy("sessions.id")
    .orderBy("exposures.variant_key")
    .execute();
}

/**
 * The times of all sessions (unix ms) of each device of exposed sessions, including sessions without an exposure. The devices are
 * passed as values: for a game that Postgres has no statistics of, it may plan a subquery that takes minutes for some thousand sessions.
 */
export async function readSessionTimes(
  db: Db,
  gameId: string,
  exposed: readonly Pick<ExposedSession, "device_id">[],
): Promise<Map<string, number[]>> {
  const devices = [...new Set(exposed.map(({ device_id }) => device_id))].filter((id) => id !== null);
  const byDevice = new Map<string, number[]>(devices.map((id) => [id, []]));
  const rows = await readInParts(devices, (part) =>
    db
      .selectFrom("sessions")
      .select(["device_id", "recorded_at"])
      .where("game_id", "=", gameId)
      .where("device_id", "in", part)
      .execute(),
  );
  for (const { device_id, recorded_at } of rows)
    if (device_id !== null) byDevice.get(device_id)?.push(recorded_at);
  return byDevice;
}

export type ExposedInsight = Awaited<ReturnType<typeof readExposedInsights>>[number];

/** The insights of some sessions of a game. */
export const readExposedInsights = (db: Db, gameId: string, sessionIds: readonly string[]) =>
  db
    .selectFrom("insights")
    .select(["session_id", "tester", "type", "tag", "sentiment"])
    .where("game_id", "=", gameId)
    .where("session_id", "in", sessionIds)
    .execute();

/** The attributes of the newest session of a device, or null for an unknown device. */
export async function findNewestSession(db: Db, gameId: string, deviceId: string) {
  const row = await db
    .selectFrom("sessions")
    .select(["metadata", "environment", "country"])
    .where((eb) => eb.and({ game_id: gameId, device_id: deviceId }))
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
