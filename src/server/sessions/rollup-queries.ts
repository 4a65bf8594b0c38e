/** Writes the counters of sessions by build, environment and day. */
import { addTo } from "../db/counters.ts";
import { dayOf } from "../db/days.ts";
import type { Db, SessionRow } from "../db/schema.ts";

export type Place = Pick<SessionRow, "game_id" | "build" | "environment" | "recorded_at">;
export function placeOf(session: Place) {
  const { game_id, build, environment } = session;
  return { game_id, build, environment, day: dayOf(session.recorded_at) };
}

/** Adds sessions to the day's count. */
export async function addSessions(db: Db, session: Place, by: number): Promise<void> {
  await addTo(db, "session_rollups", [{ row: placeOf(session), by }]);
}
