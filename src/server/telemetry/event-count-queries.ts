/** Reads and updates the counters of events by name: by build, environment and day, and across all days. */

import { addToCounter } from "../db/counters.ts";
import { toEpochDay } from "../db/days.ts";
import type { Db, SessionRow } from "../db/schema.ts";

/** Finds the most frequent event names of a game, most frequent first. */
export async function findMostFrequentNames(db: Db, gameId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("event_totals")
    .select((eb) => ["name", eb.fn.sum<number>("count").as("total")])
    .where("game_id", "=", gameId)
    .groupBy("name")
    .orderBy("total", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ name }) => name);
}

type CountedSession = Pick<SessionRow, "game_id" | "build" | "environment" | "recorded_at">;

/** Adds event counts to the counters of the session's day, and to those across all days. */
export async function addToEventCounters(
  db: Db,
  { game_id, build, environment, recorded_at }: CountedSession,
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  const key = { game_id, build, environment, day: toEpochDay(recorded_at) };
  const changes = [...counts].map(([name, by]) => ({ row: { ...key, name }, by }));
  await addToCounter(db, "event_rollups", changes);
  await addToCounter(db, "event_totals", changes);
}
