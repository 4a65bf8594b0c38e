/** Counters of events, so that sums need not read the sessions. A transaction writes its changes to them at its end, in a fixed order. */
import { sql } from "kysely";
import { runLastTasks, runTasks } from "./pipeline.ts";
import { prepareRowsQuery } from "./prepared.ts";
import type { Db } from "./schema.ts";
import { untyped } from "./untyped.ts";

/** Each table of counters: its key, and the column that holds the count. */
export const counterTables = {
  event_rollups: { key: ["game_id", "build", "environment", "day", "name"], sum: "count" },
  event_totals: { key: ["game_id", "build", "environment", "name"], sum: "count" },
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

/** The changes of open transactions that are not written yet. */
const pendingChanges = new WeakMap<Db, PendingCounterChange[]>();

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
  for (const [table, { sum }] of Object.entries(counterTables))
    await untyped<CounterValue>(db)
      .deleteFrom(table)
      .where("game_id", "=", gameId)
      .where(sum, "=", 0)
      .execute();
}

type CounterValue = string | number;
type CounterRow = Record<string, CounterValue>;

type CounterWrite = () => Promise<unknown>;

/** Creates the statements that write changes, in the order of their keys. */
function createWrites(db: Db, changes: readonly PendingCounterChange[]): CounterWrite[] {
  if (changes.length === 0) return [];
  return (Object.keys(counterTables) as CounterTable[]).flatMap((table) => {
    const own = changes.filter((change) => change.table === table);
    const rows = mergeChanges(table, own);
    const count = Math.ceil(rows.length / MAX_ROWS_PER_STATEMENT);
    return Array.from({ length: count }, (_, part) => {
      const start = part * MAX_ROWS_PER_STATEMENT;
      return () => upserts[table](db, rows.slice(start, start + MAX_ROWS_PER_STATEMENT));
    });
  });
}

/** Merges the changes into one row per key, sorted by key. Rows whose changes cancel out are left out. */
function mergeChanges(table: CounterTable, changes: readonly CounterChange[]): CounterRow[] {
  const { key, sum } = counterTables[table];
  const rows = new Map<string, CounterRow>();
  for (const { row, by } of changes) {
    const values = key.map((column) => [column, row[column] as CounterValue] as const);
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
