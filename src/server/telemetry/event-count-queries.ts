/** Sums kept beside the sessions, by build, environment and day: what whole days of event counts are read from. */

import { addToCounter } from "../db/counters.ts";
import type { Db } from "../db/schema.ts";
import { type RollupSource, toRollupKey } from "../sessions/rollup-queries.ts";

/** The names of a game's events, those that occur most first. */
export async function findMostFrequentNames(db: Db, gameId: string, most: number): Promise<string[]> {
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

/** Adds events by name to the day's counts, and to those over all days. */
export async function addToEventCounters(
  db: Db,
  session: RollupSource,
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  const place = toRollupKey(session);
  const changes = [...counts].map(([name, by]) => ({ row: { ...place, name }, by }));
  await addToCounter(db, "event_rollups", changes);
  await addToCounter(db, "event_totals", changes);
}
