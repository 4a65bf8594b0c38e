/** Updates the counters of sessions by build, environment and day. */
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
