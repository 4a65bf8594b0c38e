/** Counts events by hour, day or week, build and environment: from counters for whole days, and from each session for the rest. */
import { sql } from "kysely";
import { EVENT_COUNT_PAGE_MS, type EventCountPage } from "../../contract/events.ts";
import { type BucketWidth, bucketAt, findBucketStart, type TimeSpan } from "../../shared/calendar.ts";
import { DAY_MS } from "../../shared/time-units.ts";
import { type DayRange, splitIntoDays } from "../db/counters.ts";
import type { Db } from "../db/schema.ts";
import { listDayCounts } from "../sessions/event-block.ts";
import { readEventBlocks } from "../sessions/event-sum-queries.ts";
import { selectSessions } from "../sessions/scope-queries.ts";

interface EventBucketFilter extends TimeSpan {
  readonly gameId: string;
  readonly env: string | undefined;
  readonly by: BucketWidth;
}

interface BucketCounts {
  readonly start: number;
  readonly build: string;
  readonly environment: string;
  sessionCount: number;
  readonly names: Map<string, number>;
}

/** Reads the first page of a range. Time without sessions is skipped. */
export async function readEventBuckets(db: Db, filter: EventBucketFilter): Promise<EventCountPage> {
  const { gameId, by, from, to } = filter;
  const first = await findFirstSession(db, gameId, from, to);
  if (first === null) return { items: [], next: null };
  const pageStart = findBucketStart(first, by);
  const page = { from: Math.max(from, pageStart), to: Math.min(to, pageStart + EVENT_COUNT_PAGE_MS[by] - 1) };
  const counts = new BucketTable(by);
  const { days, parts } = by === "hour" ? { days: null, parts: [page] } : splitIntoDays(page);
  if (days !== null) await addFromCounters(db, filter, days, counts);
  for (const part of parts) await addFromSessions(db, filter, part, counts);
  const later = page.to < to ? await findFirstSession(db, gameId, page.to + 1, to) : null;
  return { items: counts.list(), next: later === null ? null : findBucketStart(later, by) };
}

class BucketTable {
  readonly #by: BucketWidth;
  readonly #rows = new Map<string, BucketCounts>();

  constructor(by: BucketWidth) {
    this.#by = by;
  }

  get(time: number, { build, environment }: Pick<BucketCounts, "build" | "environment">): BucketCounts {
    const start = Math.max(0, bucketAt(time, this.#by, { from: 0, to: time }).start);
    const key = JSON.stringify([start, build, environment]);
    const known = this.#rows.get(key);
    if (known) return known;
    const row = { start, build, environment, sessionCount: 0, names: new Map<string, number>() };
    this.#rows.set(key, row);
    return row;
  }

  list(): EventCountPage["items"] {
    const rows = [...this.#rows.values()]
      .filter(removeEmptyCounts)
      .sort(
        (a, b) =>
          a.start - b.start || compareTexts(a.build, b.build) || compareTexts(a.environment, b.environment),
      );
    // In the order of the names, because the order of the rows depends on whether days were moved into blocks.
    const sorted = (names: BucketCounts["names"]) => [...names].sort(([a], [b]) => compareTexts(a, b));
    return rows.map(({ names, ...row }) => ({ ...row, byName: Object.fromEntries(sorted(names)) }));
  }
}

/** Removes names without events, and returns whether anything is left. */
function removeEmptyCounts({ sessionCount, names }: BucketCounts): boolean {
  for (const [name, count] of names) if (count === 0) names.delete(name);
  return sessionCount > 0 || names.size > 0;
}

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const addCount = ({ names }: BucketCounts, name: string, count: number) =>
  names.set(name, (names.get(name) ?? 0) + count);

/** The time of the first session in a range, in any environment; null if there is none. */
async function findFirstSession(db: Db, gameId: string, from: number, to: number): Promise<number | null> {
  const row = await selectSessions(db, { gameId, from, to })
    .select("recorded_at")
    .orderBy("recorded_at")
    .limit(1)
    .executeTakeFirst();
  return row ? Number(row.recorded_at) : null;
}

/** The day of a session since the epoch, rounded down also before it. */
const DAY = sql<number>`(recorded_at - (recorded_at % ${sql.lit(DAY_MS)} + ${sql.lit(DAY_MS)}) % ${sql.lit(DAY_MS)}) / ${sql.lit(DAY_MS)}`;

async function addFromCounters(
  db: Db,
  { gameId, env }: EventBucketFilter,
  days: DayRange,
  counts: BucketTable,
): Promise<void> {
  const sessions = await selectSessions(db, { gameId, environment: env, from: days.first * DAY_MS })
    .select((eb) => ["build", "environment", eb.fn.countAll<number>().as("sessions"), DAY.as("day")])
    .where("recorded_at", "<", (days.last + 1) * DAY_MS)
    .groupBy(["day", "build", "environment"])
    .execute();
  for (const row of sessions) counts.get(Number(row.day) * DAY_MS, row).sessionCount += Number(row.sessions);
  const events = await db
    .selectFrom("event_rollups")
    .select((eb) => ["day", "build", "environment", "name", eb.fn.sum<number>("count").as("count")])
    .where("game_id", "=", gameId)
    .where("day", ">=", days.first)
    .where("day", "<=", days.last)
    .$if(env !== undefined, (query) => query.where("environment", "=", env ?? ""))
    .groupBy(["day", "build", "environment", "name"])
    .execute();
  for (const row of events) addCount(counts.get(row.day * DAY_MS, row), row.name, Number(row.count));
  for await (const block of readEventBlocks(db, { gameId, days, environment: env }))
    for (const { name, day, count } of listDayCounts(block, days))
      addCount(counts.get(day * DAY_MS, block), name, count);
}

async function addFromSessions(
  db: Db,
  { gameId, env }: EventBucketFilter,
  range: TimeSpan,
  counts: BucketTable,
): Promise<void> {
  const { from, to } = range;
  const rows = await selectSessions(db, { gameId, environment: env, from, to })
    .select(["recorded_at", "build", "environment", "event_counts"])
    .execute();
  for (const row of rows) {
    const bucket = counts.get(Number(row.recorded_at), row);
    bucket.sessionCount += 1;
    const names = Object.entries(JSON.parse(row.event_counts) as Record<string, number>);
    for (const [name, count] of names) addCount(bucket, name, count);
  }
}
