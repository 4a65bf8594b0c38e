/** Sums events by name: from counters for whole days, and from the counts of each session for partial days. */
import type { SelectQueryBuilder } from "kysely";
import { type BoundedTimeRange, type DayRange, splitIntoDays, type TimeRange } from "../db/days.ts";
import type { Db } from "../db/schema.ts";
import { type AnyTables, untyped } from "../db/untyped.ts";
import { sumByName } from "./event-block.ts";
import { readEventBlocks } from "./event-block-queries.ts";

/** Selects events by the game, build, environment and recordedAt of their sessions. */
export interface EventFilter extends TimeRange {
  readonly gameId: string;
  readonly build?: string | undefined;
  /** `all` matches every environment. */
  readonly env?: string | undefined;
}

export interface EventSums {
  sessions: number;
  readonly byName: Map<string, number>;
}

/** Sums the events of the sessions that match. */
export async function sumEvents(db: Db, filter: EventFilter): Promise<EventSums> {
  const sums: EventSums = { sessions: await countSessions(db, filter), byName: new Map() };
  if (filter.from === undefined && filter.to === undefined) {
    await addFromCounters(db, filter, null, sums);
    return sums;
  }
  const { days, parts } = splitIntoDays(filter);
  if (days !== null) await addFromCounters(db, filter, days, sums);
  for (const part of parts) await addFromSessions(db, filter, part, sums);
  for (const [name, count] of sums.byName) if (count === 0) sums.byName.delete(name);
  return sums;
}

async function countSessions(db: Db, filter: EventFilter): Promise<number> {
  const { from, to } = filter;
  const { sessions } = await applyEventFilter(untyped(db).selectFrom("sessions"), filter)
    .select((eb) => eb.fn.countAll<number>().as("sessions"))
    .$if(from !== undefined, (query) => query.where("recorded_at", ">=", from ?? 0))
    .$if(to !== undefined, (query) => query.where("recorded_at", "<=", to ?? 0))
    .executeTakeFirstOrThrow();
  return Number(sessions);
}

async function addFromSessions(
  db: Db,
  filter: EventFilter,
  range: BoundedTimeRange,
  sums: EventSums,
): Promise<void> {
  const rows = await applyEventFilter(untyped(db).selectFrom("sessions"), filter)
    .select("event_counts")
    .where("recorded_at", ">=", range.from)
    .where("recorded_at", "<=", range.to)
    .execute();
  for (const row of rows) {
    const counts = Object.entries(JSON.parse(String(row.event_counts)) as Record<string, number>);
    for (const [name, count] of counts) addCount(sums, name, count);
  }
}

/** Adds counters of a range of days, or of all days for null, which have separate tables. Most days are in blocks. */
async function addFromCounters(
  db: Db,
  filter: EventFilter,
  days: DayRange | null,
  sums: EventSums,
): Promise<void> {
  const from = (table: "event_rollups" | "event_totals") => {
    const query = applyEventFilter(untyped(db).selectFrom(table), filter);
    return days ? query.where("day", ">=", days.first).where("day", "<=", days.last) : query;
  };
  if (days) await addFromBlocks(db, filter, days, sums);
  const names = await from(days ? "event_rollups" : "event_totals")
    .select((eb) => ["name", eb.fn.sum<number>("count").as("count")])
    .groupBy("name")
    .execute();
  for (const row of names) addCount(sums, String(row.name), Number(row.count));
}

async function addFromBlocks(db: Db, filter: EventFilter, days: DayRange, sums: EventSums): Promise<void> {
  const { gameId, build, env } = filter;
  const environment = env === "all" ? undefined : env;
  for await (const block of readEventBlocks(db, { gameId, build, environment, days }))
    for (const [name, count] of sumByName(block, days)) addCount(sums, name, count);
}

type EventSumQuery<Out> = SelectQueryBuilder<AnyTables<string | number>, string, Out>;

function applyEventFilter<Out>(
  query: EventSumQuery<Out>,
  { gameId, build, env }: EventFilter,
): EventSumQuery<Out> {
  const columns = {
    game_id: gameId,
    ...(build === undefined ? {} : { build }),
    ...(env === undefined || env === "all" ? {} : { environment: env }),
  };
  return query.where((eb) => eb.and(columns));
}

function addCount(sums: EventSums, name: string, count: number): void {
  sums.byName.set(name, (sums.byName.get(name) ?? 0) + count);
}
