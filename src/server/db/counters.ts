/** Counts of events by day, so that sums need not read the sessions. A transaction writes its changes to them at its end, in a fixed order. */
import { sql } from "kysely";
import { DAY_MS } from "../../shared/time-units.ts";
import { runLastTasks, runTasks } from "./pipeline.ts";
import { prepareRowsQuery } from "./prepared.ts";
import { deleteRows } from "./rows.ts";
import type { Db, EventRollupRow, SessionRow } from "./schema.ts";

const KEY = ["game_id", "build", "environment", "day", "name"] as const;

/** The changes of open transactions that are not written yet. */
const pendingChanges = new WeakMap<Db, EventRollupRow[]>();

/**
 * Adds event counts (negative to subtract) to the counters of the session's day: at the end of a transaction that
 * `withCounters` runs, otherwise at once. Reads within that transaction do not see the changes.
 */
export async function addToEventCounters(
  db: Db,
  {
    game_id,
    build,
    environment,
    recorded_at,
  }: Pick<SessionRow, "game_id" | "build" | "environment" | "recorded_at">,
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  const day = toEpochDay(recorded_at);
  const added = [...counts].map(([name, count]) => ({ game_id, build, environment, day, name, count }));
  const pending = pendingChanges.get(db);
  if (pending) pending.push(...added);
  else await runTasks(db, createWrites(db, added));
}

/**
 * Runs the work of a transaction, then writes its counter changes, one update per row. All writers to a game update the
 * same counter rows. Locking them last keeps the locks short, and locking them in key order prevents deadlocks.
 */
export async function withCounters<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  pendingChanges.set(db, []);
  const result = await work(db);
  await runLastTasks(db, takeWrites(db));
  pendingChanges.delete(db);
  return result;
}

/** Makes another object for the same transaction collect its changes with those of the first. */
export function shareCounters(from: Db, to: Db): void {
  const pending = pendingChanges.get(from);
  if (pending) pendingChanges.set(to, pending);
}

/** The writes of the pending changes of a transaction, which are pending no more. */
function takeWrites(db: Db): CounterWrite[] {
  return createWrites(db, pendingChanges.get(db)?.splice(0) ?? []);
}

/** Returns a savepoint for `rollbackCounters`. */
export function createCounterSavepoint(db: Db): number {
  return pendingChanges.get(db)?.length ?? 0;
}

/** Discards the counter changes that a transaction made after the savepoint. */
export function rollbackCounters(db: Db, savepoint: number): void {
  const pending = pendingChanges.get(db);
  if (pending) pending.length = savepoint;
}

/**
 * Writes the pending changes of a transaction now, and deletes the counters of a game that are 0: their keys may contain what a
 * deleted session sent. Call it at the end of the transaction.
 */
export async function removeEmptyCounters(db: Db, gameId: string): Promise<void> {
  await runTasks(db, takeWrites(db));
  await deleteRows(db, "event_rollups", { game_id: gameId, count: 0 });
}

type CounterWrite = () => Promise<unknown>;

/** Creates the statements that write changes, in the order of their keys. */
function createWrites(db: Db, changes: readonly EventRollupRow[]): CounterWrite[] {
  const rows = mergeChanges(changes);
  return Array.from({ length: Math.ceil(rows.length / MAX_ROWS_PER_STATEMENT) }, (_, part) => {
    const start = part * MAX_ROWS_PER_STATEMENT;
    return () => upsert(db, rows.slice(start, start + MAX_ROWS_PER_STATEMENT));
  });
}

/** Merges the changes into one row per key, sorted by key. Rows whose changes cancel out are left out. */
function mergeChanges(changes: readonly EventRollupRow[]): EventRollupRow[] {
  const rows = new Map<string, EventRollupRow>();
  for (const change of changes) {
    const id = JSON.stringify(KEY.map((column) => change[column]));
    rows.set(id, { ...change, count: change.count + (rows.get(id)?.count ?? 0) });
  }
  const changed = [...rows].filter(([, { count }]) => count !== 0);
  return changed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** Rows per statement. Each row count needs its own prepared statement, which the connection caches. */
const MAX_ROWS_PER_STATEMENT = 100;

const upsert = prepareRowsQuery((db, rows: readonly EventRollupRow[]) =>
  db
    .insertInto("event_rollups")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(KEY).doUpdateSet({ count: sql<number>`event_rollups.count + excluded.count` }),
    ),
);

/** The day of a time: whole days since the epoch, UTC. */
export function toEpochDay(time: number): number {
  return Math.floor(time / DAY_MS);
}

/** The first millisecond of a day. */
function startOfDay(day: number): number {
  return day * DAY_MS;
}

/** A time range with inclusive bounds, unix ms. An unset bound leaves that side open. */
export interface TimeRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A time range with both bounds set. */
export interface BoundedTimeRange {
  readonly from: number;
  readonly to: number;
}

/** A range of epoch days, inclusive. */
export interface DayRange {
  readonly first: number;
  readonly last: number;
}

const [EARLIEST, LATEST] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** Splits a range into the days that it covers completely (null if there are none) and the partial days at its ends. */
export function splitIntoDays({ from, to }: TimeRange): {
  readonly days: DayRange | null;
  readonly parts: readonly BoundedTimeRange[];
} {
  const first = from === undefined ? toEpochDay(EARLIEST) : Math.ceil(from / DAY_MS);
  const last = to === undefined ? toEpochDay(LATEST) : toEpochDay(to + 1) - 1;
  if (first > last) return { days: null, parts: [{ from: from ?? EARLIEST, to: to ?? LATEST }] };
  const parts: BoundedTimeRange[] = [];
  if (from !== undefined && from < startOfDay(first)) parts.push({ from, to: startOfDay(first) - 1 });
  if (to !== undefined && to >= startOfDay(last + 1)) parts.push({ from: startOfDay(last + 1), to });
  return { days: { first, last }, parts };
}
