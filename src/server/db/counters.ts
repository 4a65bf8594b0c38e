/** Counters, so that totals need not count rows. A transaction writes its changes to them at its end, in a fixed order. */
import { sql } from "kysely";
import { runLastTasks, runTasks } from "./pipeline.ts";
import { prepareRowsQuery } from "./prepared.ts";
import type { Db } from "./schema.ts";
import { isSharded } from "./sharding.ts";
import { untyped } from "./untyped.ts";

/** Each table of counters: its key, and the column that holds the count. */
export const counterTables = {
  session_counts: { key: ["game_id", "build", "environment", "status", "source"], sum: "sessions" },
  account_session_counts: {
    key: ["account_id", "environment", "status", "source", "game_id"],
    sum: "sessions",
  },
  session_rollups: { key: ["game_id", "build", "environment", "day"], sum: "sessions" },
  account_session_day_counts: { key: ["account_id", "day", "environment", "game_id"], sum: "sessions" },
  insight_counts: { key: ["game_id", "build", "type", "sentiment"], sum: "insights" },
  account_insight_counts: { key: ["account_id", "type", "sentiment", "game_id"], sum: "insights" },
  insight_day_counts: { key: ["game_id", "day"], sum: "insights" },
  account_insight_day_counts: { key: ["account_id", "day", "game_id"], sum: "insights" },
  event_rollups: { key: ["game_id", "build", "environment", "day", "name"], sum: "count" },
  event_totals: { key: ["game_id", "build", "environment", "name"], sum: "count" },
  game_counts: { key: ["game_id"], sum: "devices" },
  build_counts: { key: ["game_id", "build", "environment", "kind", "name"], sum: "amount" },
  build_durations: { key: ["game_id", "build", "kind", "level", "bucket"], sum: "sessions" },
} as const;
export type CounterTable = keyof typeof counterTables;

/** A row with a value for every column of a counter's key, and the amount to add (negative to subtract). */
export interface CounterChange {
  readonly row: Readonly<Record<string, unknown>>;
  readonly by: number;
}

interface PendingCounterChange extends CounterChange {
  readonly table: CounterTable;
}

/** Work that a transaction does at its end, for all its items at once, before it writes its counters. */
export interface DeferredWork<Item> {
  run(db: Db, items: readonly Item[]): Promise<void>;
}

interface DeferredItem {
  readonly work: DeferredWork<unknown>;
  readonly item: unknown;
}

/** The changes of open transactions that are not written yet. */
const pendingChanges = new WeakMap<Db, (PendingCounterChange | DeferredItem)[]>();

/** Adds items to the work at the end of a transaction that `withCounters` runs; otherwise does the work at once. */
export async function defer<Item>(db: Db, work: DeferredWork<Item>, items: readonly Item[]): Promise<void> {
  const pending = pendingChanges.get(db);
  if (!pending) return await work.run(db, items);
  for (const item of items) pending.push({ work: work as DeferredWork<unknown>, item });
}

/**
 * Adds to a table of counters: at the end of a transaction that `withCounters` runs, otherwise at once. Reads within that
 * transaction do not see the changes.
 */
export async function addToCounter(
  db: Db,
  table: CounterTable,
  changes: readonly CounterChange[],
): Promise<void> {
  const added = changes.map((change) => ({ ...change, table }));
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
  await runLastTasks(db, await prepareWrites(db));
  pendingChanges.delete(db);
  return result;
}

/** Makes another object for the same transaction collect its changes with those of the first. */
export function shareCounters(from: Db, to: Db): void {
  const pending = pendingChanges.get(from);
  if (pending) pendingChanges.set(to, pending);
}

/** Does the deferred work of a transaction now, which may change further counters, and returns the writes of its counters. */
async function prepareWrites(db: Db): Promise<CounterWrite[]> {
  const pending = pendingChanges.get(db) ?? [];
  const changes: PendingCounterChange[] = [];
  const deferred = new Map<DeferredWork<unknown>, unknown[]>();
  for (const change of pending.splice(0)) {
    if ("table" in change) changes.push(change);
    else {
      const items = deferred.get(change.work) ?? [];
      items.push(change.item);
      deferred.set(change.work, items);
    }
  }
  for (const [work, items] of deferred) await work.run(db, items);
  for (const change of pending.splice(0)) if ("table" in change) changes.push(change);
  return createWrites(db, changes);
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
 * Writes the pending changes of a transaction now, and deletes the counters of a game and its account that are 0: their keys
 * may contain what a deleted session sent. Call it at the end of the transaction.
 */
export async function removeEmptyCounters(
  db: Db,
  { game_id, account_id }: { readonly game_id: string; readonly account_id: string },
): Promise<void> {
  await runTasks(db, await prepareWrites(db));
  for (const [table, { key, sum }] of Object.entries(counterTables)) {
    const [owner] = key;
    await untyped<CounterValue>(db)
      .deleteFrom(table)
      .where(owner, "=", owner === "game_id" ? game_id : account_id)
      .where("game_id", "=", owner === "game_id" || isSharded(db) ? game_id : ALL_GAMES)
      // A literal, so that the engines can use the indexes of empty counters.
      .where(sum, "=", sql.lit(0))
      .execute();
  }
}

type CounterValue = string | number;
type CounterRow = Record<string, CounterValue>;

type CounterWrite = () => Promise<unknown>;

/** Creates the statements that write changes, in the order of their keys. */
function createWrites(db: Db, changes: readonly PendingCounterChange[]): CounterWrite[] {
  if (changes.length === 0) return [];
  return (Object.keys(counterTables) as CounterTable[]).flatMap((table) => {
    const own = changes.filter((change) => change.table === table);
    const rows = mergeChanges(table, own, isSharded(db));
    const count = Math.ceil(rows.length / MAX_ROWS_PER_STATEMENT);
    return Array.from({ length: count }, (_, part) => {
      const start = part * MAX_ROWS_PER_STATEMENT;
      return () => upserts[table](db, rows.slice(start, start + MAX_ROWS_PER_STATEMENT));
    });
  });
}

/** In a counter of an account: the game of its row, unless the database is sharded. */
const ALL_GAMES = "";

/** Merges the changes into one row per key, sorted by key. Rows whose changes cancel out are left out. */
function mergeChanges(
  table: CounterTable,
  changes: readonly CounterChange[],
  perGame: boolean,
): CounterRow[] {
  const { key, sum } = counterTables[table];
  const spansGames = key[0] === "account_id" && !perGame;
  const rows = new Map<string, CounterRow>();
  for (const { row, by } of changes) {
    const stored = spansGames ? { ...row, game_id: ALL_GAMES } : row;
    const values = key.map((column) => [column, stored[column] as CounterValue] as const);
    const id = JSON.stringify(values);
    const merged = rows.get(id);
    if (merged) merged[sum] = Number(merged[sum]) + by;
    else rows.set(id, { ...Object.fromEntries(values), [sum]: by });
  }
  const changed = [...rows].filter(([, row]) => row[sum] !== 0);
  return changed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** Rows per statement. Each row count needs its own prepared statement, which the connection caches. */
const MAX_ROWS_PER_STATEMENT = 100;

function prepareUpsert(table: CounterTable) {
  const { key, sum } = counterTables[table];
  return prepareRowsQuery((db, rows: readonly CounterRow[]) =>
    untyped<CounterValue>(db)
      .insertInto(table)
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns([...key]).doUpdateSet({
          [sum]: sql<number>`${sql.ref(`${table}.${sum}`)} + ${sql.ref(`excluded.${sum}`)}`,
        }),
      ),
  );
}

const upserts = Object.fromEntries(
  Object.keys(counterTables).map((table) => [table, prepareUpsert(table as CounterTable)]),
) as Record<CounterTable, ReturnType<typeof prepareUpsert>>;
