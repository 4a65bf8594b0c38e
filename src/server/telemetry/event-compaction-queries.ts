/** Moves counters of events by day from their rows into blocks. */
import { skipDamaged } from "../core/stored-data.ts";
import type { DayRange } from "../db/counters.ts";
import { deleteRows, putRow } from "../db/rows.ts";
import type { Db, EventCountBlockRow, EventRollupRow } from "../db/schema.ts";
import { isReachable } from "../db/sharding.ts";
import { tryLockGame } from "../games/game-queries.ts";
import {
  BYTES_PER_COUNT,
  type DayCount,
  encodeBlock,
  listBlockDays,
  listDayCounts,
  type StoredCounts,
  toBlockNumber,
} from "../sessions/event-block.ts";

/** What the counts of a block share. */
type EventBlockKey = Pick<EventCountBlockRow, "game_id" | "block" | "build" | "environment">;

/** A day with counters of a build and environment. */
type CounterDay = Pick<EventRollupRow, "build" | "environment" | "day">;

/** Maximum number of counts in a block, 512 kB. Further counters remain rows. */
const MAX_COUNTS_PER_BLOCK = 32_768;
/** Rows that a step moves, unless those of one day are more. */
const MAX_ROWS_PER_STEP = 4096;

/** The ids of all games whose nodes respond. */
export async function findCompactedGames(db: Db): Promise<string[]> {
  const rows = await db.selectFrom("games").select("id").where(isReachable(db, "id")).orderBy("id").execute();
  return rows.map(({ id }) => id);
}

/** Finds the next day up to `last` that has counters in rows, in the order of builds, environments and days. */
export async function findCounterDay(
  db: Db,
  gameId: string,
  last: number,
  after: CounterDay | null,
): Promise<CounterDay | null> {
  let query = db
    .selectFrom("event_rollups")
    .select(["build", "environment", "day"])
    .where("game_id", "=", gameId)
    .where("day", "<=", last);
  if (after)
    query = query.where((eb) =>
      eb(
        eb.refTuple("build", "environment", "day"),
        ">",
        eb.tuple(after.build, after.environment, after.day),
      ),
    );
  const row = await query.orderBy("build").orderBy("environment").orderBy("day").limit(1).executeTakeFirst();
  return row ?? null;
}

/**
 * Moves counters of one build and environment into the block of the first day, but not those after the last day. Returns the last
 * day that was moved: null if the block has no space, is damaged, or if another server is moving counters of the game. Requires
 * a write transaction.
 */
export async function compactDays(
  db: Db,
  gameId: string,
  from: CounterDay,
  last: number,
): Promise<number | null> {
  if (!(await tryLockGame(db, gameId))) return null;
  const key = toBlockKey(gameId, from);
  const stored = await findBlock(db, key);
  const end = Math.min(last, listBlockDays(key.block).last);
  const capacity = MAX_COUNTS_PER_BLOCK - (stored?.counts.byteLength ?? 0) / BYTES_PER_COUNT;
  const fitting = await findFittingDays(db, key, { first: from.day, last: end }, capacity);
  if (fitting === null) return null;
  return await skipDamaged(async () => {
    await moveCounters(db, key, stored, fitting, false);
    return fitting.last;
  });
}

/**
 * Subtracts negative counters, which deletions leave, from the blocks of their days, so that no name of a deleted session
 * remains there. The caller has locked the game.
 */
export async function compactRemovedCounters(db: Db, gameId: string): Promise<void> {
  const days = await db
    .selectFrom("event_rollups")
    .select(["build", "environment", "day"])
    .distinct()
    .where("game_id", "=", gameId)
    .where("count", "<", 0)
    .execute();
  const keys = new Map<string, EventBlockKey>();
  for (const day of days) {
    const key = toBlockKey(gameId, day);
    keys.set(JSON.stringify(key), key);
  }
  for (const key of keys.values()) {
    const stored = await findBlock(db, key);
    await skipDamaged(() => moveCounters(db, key, stored, listBlockDays(key.block), true));
  }
}

const toBlockKey = (game_id: string, { build, environment, day }: CounterDay): EventBlockKey => ({
  game_id,
  build,
  environment,
  block: toBlockNumber(day),
});

async function findBlock(db: Db, key: EventBlockKey): Promise<StoredCounts | undefined> {
  return await db
    .selectFrom("event_count_blocks")
    .select(["block", "names", "counts"])
    .where((eb) => eb.and(key))
    .executeTakeFirst();
}

/** The first days of a range whose rows fit into one step and into the block; null if not even one day fits. */
async function findFittingDays(
  db: Db,
  { game_id, build, environment }: EventBlockKey,
  { first, last }: DayRange,
  capacity: number,
): Promise<DayRange | null> {
  const days = await db
    .selectFrom("event_rollups")
    .select((eb) => ["day", eb.fn.countAll<number>().as("rows")])
    .where((eb) => eb.and({ game_id, build, environment }))
    .where("day", ">=", first)
    .where("day", "<=", last)
    .groupBy("day")
    .orderBy("day")
    .execute();
  let moved = 0;
  let end: number | null = null;
  for (const { day, rows } of days) {
    moved += Number(rows);
    if (moved > capacity || (end !== null && moved > MAX_ROWS_PER_STEP)) break;
    end = day;
  }
  return end === null ? null : { first, last: end };
}

/** Moves the counters of some days into a block. Throws DamagedData before it changes anything. */
async function moveCounters(
  db: Db,
  key: EventBlockKey,
  stored: StoredCounts | undefined,
  days: DayRange,
  onlyNegative: boolean,
): Promise<void> {
  const { game_id, build, environment, block } = key;
  const counts: DayCount[] = stored ? listDayCounts(stored) : [];
  // Other servers may add to the rows until they are deleted, so they are read as they are deleted.
  const removed = await db
    .deleteFrom("event_rollups")
    .where((eb) => eb.and({ game_id, build, environment }))
    .where("day", ">=", days.first)
    .where("day", "<=", days.last)
    .$if(onlyNegative, (query) => query.where("count", "<", 0))
    .returning(["name", "day", "count"])
    .execute();
  for (const { name, day, count } of removed) counts.push({ name, day, count: Number(count) });
  await writeBlock(db, key, encodeBlock(block, counts));
}

/** Stores a block, or deletes it if it is null. */
async function writeBlock(db: Db, key: EventBlockKey, content: StoredCounts | null): Promise<void> {
  if (content === null) return await deleteRows(db, "event_count_blocks", key);
  const { names, counts } = content;
  await putRow(db, "event_count_blocks", { ...key, names, counts });
}
