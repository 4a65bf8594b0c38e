/** Sums kept beside the sessions, by build, environment and day: what whole days of event counts are read from. */
import type { Db, SessionRow } from "../db/schema.ts";
import { addTo } from "../db/sums.ts";
import { dayOf } from "./days.ts";

type Place = Pick<SessionRow, "game_id" | "build" | "environment" | "recorded_at">;

function placeOf(session: Place) {
  const { game_id, build, environment } = session;
  return { game_id, build, environment, day: dayOf(session.recorded_at) };
}

/** The names of a game's events, those that occur most first. */
export async function mostFrequentNames(db: Db, gameId: string, most: number): Promise<string[]> {
  const rows = await db
    .selectFrom("event_totals")
    .select((eb) => ["name", eb.fn.sum<number>("count").as("total")])
    .where("game_id", "=", gameId)
    .groupBy("name")
    .orderBy("total", "desc")
    .limit(most)
    .execute();
  return rows.map(({ name }) => name);
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
