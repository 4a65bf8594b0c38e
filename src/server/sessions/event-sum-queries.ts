/** Sums events by name: from counters for whole days, and from the counts of each session for partial days. */
import { type BoundedTimeRange, type DayRange, splitIntoDays, type TimeRange } from "../db/days.ts";
import type { Db } from "../db/schema.ts";
import { sumByName } from "./event-block.ts";
import { readEventBlocks } from "./event-block-queries.ts";

/** Selects events by the game, build, environment and recordedAt of their sessions. */
export interface EventFilter extends TimeRange {
  readonly gameId: string;
  readonly build?: string | undefined;
  /** `all`, like undefined, matches every environment. */
  readonly env?: string | undefined;
}

type EventSums = Map<string, number>;

/** Sums the events of the sessions that match, by name. Throws DamagedData if a block of counters is damaged. */
export async function sumEvents(db: Db, filter: EventFilter): Promise<EventSums> {
  const sums: EventSums = new Map();
  const { days, parts } = splitIntoDays(filter);
  if (days !== null) await addFromCounters(db, filter, days, sums);
  for (const part of parts) await addFromSessions(db, filter, part, sums);
  for (const [name, count] of sums) if (count === 0) sums.delete(name);
  return sums;
}

/** Counts the sessions that match. */
export async function countSessions(db: Db, filter: EventFilter): Promise<number> {
  const { sessions } = await selectSessions(db, filter)
    .select((eb) => eb.fn.countAll<number>().as("sessions"))
    .executeTakeFirstOrThrow();
  return Number(sessions);
}

async function addFromSessions(
  db: Db,
  filter: EventFilter,
  range: BoundedTimeRange,
  sums: EventSums,
): Promise<void> {
  for (const row of await selectSessions(db, { ...filter, ...range })
    .select("event_counts")
    .execute()) {
    const counts = Object.entries(JSON.parse(row.event_counts) as Record<string, number>);
    for (const [name, count] of counts) addCount(sums, name, count);
  }
}

/** Adds counters of a range of days. Those of past days are in blocks. */
async function addFromCounters(
  db: Db,
  { gameId, build, env }: EventFilter,
  days: DayRange,
  sums: EventSums,
): Promise<void> {
  const environment = env === "all" ? undefined : env;
  for await (const block of readEventBlocks(db, { gameId, build, environment, days }))
    for (const [name, count] of sumByName(block, days)) addCount(sums, name, count);
  const names = await db
    .selectFrom("event_rollups")
    .select((eb) => ["name", eb.fn.sum<number>("count").as("count")])
    .where("game_id", "=", gameId)
    .$if(build !== undefined, (query) => query.where("build", "=", build ?? ""))
    .$if(environment !== undefined, (query) => query.where("environment", "=", environment ?? ""))
    .where("day", ">=", days.first)
    .where("day", "<=", days.last)
    .groupBy("name")
    .execute();
  for (const { name, count } of names) addCount(sums, name, Number(count));
}

const selectSessions = (db: Db, { gameId, build, env = "all", from, to }: EventFilter) =>
  db
    .selectFrom("sessions")
    .where("game_id", "=", gameId)
    .$if(build !== undefined, (query) => query.where("build", "=", build ?? ""))
    .$if(env !== "all", (query) => query.where("environment", "=", env))
    .$if(from !== undefined, (query) => query.where("recorded_at", ">=", from ?? 0))
    .$if(to !== undefined, (query) => query.where("recorded_at", "<=", to ?? 0));

const addCount = (sums: EventSums, name: string, count: number) =>
  sums.set(name, (sums.get(name) ?? 0) + count);
