/** Sums kept beside the sessions, by build, environment and day: what whole days of event counts are read from. */
import type { Db, SessionRow } from "../db/schema.ts";
import { addTo } from "../db/sums.ts";
import { dayOf } from "./days.ts";

type Place = Pick<SessionRow, "game_id" | "build" | "environment" | "recorded_at">;

function placeOf(session: Place) {
  const { game_id, build, environment } = session;
  return { game_id, build, environment, day: dayOf(session.recorded_at) };
}

/** Adds sessions to the day's count. */
export async function addSessions(db: Db, session: Place, by: number): Promise<void> {
  await addTo(db, "session_rollups", [{ row: placeOf(session), by }]);
}

/** Adds events by name to the day's counts, and to those over all days. */
export async function addEvents(db: Db, session: Place, counts: ReadonlyMap<string, number>): Promise<void> {
  const place = placeOf(session);
  const changes = [...counts].map(([name, by]) => ({ row: { ...place, name }, by }));
  await addTo(db, "event_rollups", changes);
  await addTo(db, "event_totals", changes);
}
