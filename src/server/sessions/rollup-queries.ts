/** Updates the counters of sessions by build, environment and day, and reads which of them have sessions. */
import { addToCounter } from "../db/counters.ts";
import { toEpochDay } from "../db/days.ts";
import type { Db, SessionRow } from "../db/schema.ts";

export type RollupSource = Pick<SessionRow, "game_id" | "build" | "environment" | "recorded_at">;
export function toRollupKey(session: RollupSource) {
  const { game_id, build, environment } = session;
  return { game_id, build, environment, day: toEpochDay(session.recorded_at) };
}

/** Adds sessions to the count of their day. */
export async function addToSessionRollups(db: Db, session: RollupSource, by: number): Promise<void> {
  await addToCounter(db, "session_rollups", [{ row: toRollupKey(session), by }]);
}

/** Whether any session in any environment has the version. */
export async function buildExists(db: Db, gameId: string, version: string): Promise<boolean> {
  const row = await db
    .selectFrom("session_rollups")
    .select("day")
    .where("game_id", "=", gameId)
    .where("build", "=", version)
    .executeTakeFirst();
  return row !== undefined;
}

/** The environments that have sessions of a game, in alphabetical order. */
export async function findEnvironments(db: Db, gameId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("session_rollups")
    .select("environment")
    .distinct()
    .where("game_id", "=", gameId)
    .where("sessions", ">", 0)
    .orderBy("environment")
    .execute();
  return rows.map(({ environment }) => environment);
}
