/** Sums events by name: from counters for whole days, and from the counts of each session for partial days. */
import { type BoundedTimeRange, type DayRange, splitIntoDays } from "../db/counters.ts";
import { countRows } from "../db/rows.ts";
import type { Db, EventCountBlockRow } from "../db/schema.ts";
import { listBlockDays, listDayCounts, sumByName, toBlockNumber } from "./event-block.ts";
import { type SessionScope, selectSessions } from "./scope-queries.ts";

type EventSums = Map<string, number>;

/** Sums the events of the sessions that match, by name. Throws DamagedData if a block of counters is damaged. */
export async function sumEvents(db: Db, filter: SessionScope): Promise<EventSums> {
  const sums: EventSums = new Map();
  const { days, parts } = splitIntoDays(filter);
  if (days !== null) await addFromCounters(db, filter, days, sums);
  for (const part of parts) await addFromSessions(db, filter, part, sums);
  for (const [name, count] of sums) if (count === 0) sums.delete(name);
  return sums;
}

export async function countSessions(db: Db, filter: SessionScope): Promise<number> {
  return await countRows(selectSessions(db, filter));
}

async function addFromSessions(
  db: Db,
  filter: SessionScope,
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
  { gameId, build, environment: env }: SessionScope,
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

const addCount = (sums: EventSums, name: string, count: number) =>
  sums.set(name, (sums.get(name) ?? 0) + count);

/** Selects blocks by their game and days. Absent fields match all of them. */
interface EventBlockFilter {
  readonly gameId: string;
  readonly days: DayRange;
  readonly build?: string | undefined;
  readonly environment?: string | undefined;
}

/** Blocks per query, of at most 512 kB each. */
const BLOCKS_PER_PAGE = 32;

/** Yields the blocks with days in the range. They may also have other days. */
export async function* readEventBlocks(
  db: Db,
  filter: EventBlockFilter,
): AsyncGenerator<EventCountBlockRow, void> {
  let after: EventCountBlockRow | undefined;
  do {
    const rows = await findPage(db, filter, after);
    yield* rows;
    after = rows.length < BLOCKS_PER_PAGE ? undefined : rows.at(-1);
  } while (after);
}

async function findPage(db: Db, filter: EventBlockFilter, after: EventCountBlockRow | undefined) {
  let query = selectBlocks(db, filter)
    .selectAll()
    .where("block", ">=", toBlockNumber(filter.days.first))
    .where("block", "<=", toBlockNumber(filter.days.last));
  if (after)
    query = query.where((eb) =>
      eb(
        eb.refTuple("block", "build", "environment"),
        ">",
        eb.tuple(after.block, after.build, after.environment),
      ),
    );
  return await query
    .orderBy("block")
    .orderBy("build")
    .orderBy("environment")
    .limit(BLOCKS_PER_PAGE)
    .execute();
}

function selectBlocks(db: Db, { gameId, build, environment }: Omit<EventBlockFilter, "days">) {
  return db
    .selectFrom("event_count_blocks")
    .where("game_id", "=", gameId)
    .$if(build !== undefined, (query) => query.where("build", "=", build ?? ""))
    .$if(environment !== undefined, (query) => query.where("environment", "=", environment ?? ""));
}

/** The first and the last day with events of these names; null if there are none. */
export async function findDaysWithEvents(
  db: Db,
  filter: Omit<EventBlockFilter, "days">,
  names: readonly string[],
): Promise<DayRange | null> {
  const { gameId, build, environment } = filter;
  const row = await db
    .selectFrom("event_rollups")
    .select((eb) => [eb.fn.min("day").as("first"), eb.fn.max("day").as("last")])
    .where("game_id", "=", gameId)
    .where("name", "in", names)
    .$if(environment !== undefined, (query) => query.where("environment", "=", environment ?? ""))
    .$if(build !== undefined, (query) => query.where("build", "=", build ?? ""))
    .executeTakeFirst();
  const days = await findDaysInBlocks(db, filter, names);
  if (row?.first != null && row.last != null) days.push(Number(row.first), Number(row.last));
  return days.length > 0 ? { first: Math.min(...days), last: Math.max(...days) } : null;
}

/** Days with events of these names in blocks, among them the first and the last one. */
async function findDaysInBlocks(
  db: Db,
  filter: Omit<EventBlockFilter, "days">,
  names: readonly string[],
): Promise<number[]> {
  const bounds = await selectBlocks(db, filter)
    .select((eb) => [eb.fn.min("block").as("first"), eb.fn.max("block").as("last")])
    .where((eb) =>
      eb.or(names.map((name) => eb(eb.fn<number>("instr", ["names", eb.val(JSON.stringify(name))]), ">", 0))),
    )
    .executeTakeFirst();
  if (bounds?.first == null || bounds.last == null) return [];
  const found: number[] = [];
  for (const block of new Set([Number(bounds.first), Number(bounds.last)])) {
    const days = listBlockDays(block);
    const own = new Set<number>();
    for await (const stored of readEventBlocks(db, { ...filter, days }))
      for (const { name, day } of listDayCounts(stored)) if (names.includes(name)) own.add(day);
    // Another name that ends with one of these in quotes matches, too. Then the day is not known.
    found.push(...(own.size > 0 ? own : [days.first, days.last]));
  }
  return found;
}
