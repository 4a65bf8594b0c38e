/** Kept sums: counts beside the rows that they count. What a transaction adds to them is written at its end, in one order. */
import { sql } from "kysely";
import { prepareRowsQuery } from "./prepared.ts";
import type { Db } from "./schema.ts";
import { untyped } from "./untyped.ts";

/** Each table of sums: its key, and the column that is summed. */
export const counterTables = {
  session_counts: { key: ["game_id", "build", "environment", "status", "source"], sum: "sessions" },
  account_session_counts: { key: ["account_id", "environment", "status", "source"], sum: "sessions" },
  session_rollups: { key: ["game_id", "build", "environment", "day"], sum: "sessions" },
  account_session_day_counts: { key: ["account_id", "day", "environment"], sum: "sessions" },
  insight_counts: { key: ["game_id", "build", "type", "sentiment"], sum: "insights" },
  account_insight_counts: { key: ["account_id", "type", "sentiment"], sum: "insights" },
  insight_day_counts: { key: ["game_id", "day"], sum: "insights" },
  account_insight_day_counts: { key: ["account_id", "day"], sum: "insights" },
  event_rollups: { key: ["game_id", "build", "environment", "day", "name"], sum: "count" },
  event_totals: { key: ["game_id", "build", "environment", "name"], sum: "count" },
  game_counts: { key: ["game_id"], sum: "devices" },
} as const;
export type CounterTable = keyof typeof counterTables;

/** A row with the values of every key it is summed by, and by how much. */
export interface CounterChange {
  readonly row: Readonly<Record<string, unknown>>;
  readonly by: number;
}

interface PendingCounterChange extends CounterChange {
  readonly table: CounterTable;
}

/** What open transactions have added so far. */
const pendingChanges = new WeakMap<Db, PendingCounterChange[]>();

/**
 * Adds to a table of sums: at the end of the transaction where `withCounters` runs it, else at once. Within the transaction
 * the sums stand as they were.
 */
export async function addToCounter(
  db: Db,
  table: CounterTable,
  changes: readonly CounterChange[],
): Promise<void> {
  const added = changes.map((change) => ({ ...change, table }));
  const open = pendingChanges.get(db);
  if (open) open.push(...added);
  else await writeChanges(db, added);
}

/**
 * Runs a transaction's work, then adds what it has added to sums, each row once. Rows of sums are what all who write to
 * a game share: locked last, and in the order of their keys, they are held the shortest, and two transactions cannot
 * wait for each other.
 */
export async function withCounters<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  const own: PendingCounterChange[] = [];
  pendingChanges.set(db, own);
  const result = await work(db);
  pendingChanges.delete(db);
  await writeChanges(db, own);
  return result;
}

/** Where a transaction's additions stand, to go back to with `forgetSums`. */
export function createCounterSavepoint(db: Db): number {
  return pendingChanges.get(db)?.length ?? 0;
}

/** Forgets what a transaction has added since the mark. */
export function rollbackCounters(db: Db, mark: number): void {
  const open = pendingChanges.get(db);
  if (open) open.length = mark;
}

type CounterValue = string | number;
type CounterRow = Record<string, CounterValue>;

async function writeChanges(db: Db, changes: readonly PendingCounterChange[]): Promise<void> {
  if (changes.length === 0) return;
  for (const table of Object.keys(counterTables) as CounterTable[]) {
    const rows = mergeChanges(
      table,
      changes.filter((change) => change.table === table),
    );
    for (let at = 0; at < rows.length; at += MAX_ROWS_PER_STATEMENT) {
      await upserts[table](db, rows.slice(at, at + MAX_ROWS_PER_STATEMENT));
    }
  }
}

/** One row a key, in the order of the keys; without those that come to nothing. */
function mergeChanges(table: CounterTable, changes: readonly CounterChange[]): CounterRow[] {
  const { key, sum } = counterTables[table];
  const rows = new Map<string, CounterRow>();
  for (const { row, by } of changes) {
    const values = key.map((column) => [column, row[column] as CounterValue] as const);
    const name = JSON.stringify(values);
    const known = rows.get(name);
    if (known) known[sum] = Number(known[sum]) + by;
    else rows.set(name, { ...Object.fromEntries(values), [sum]: by });
  }
  const named = [...rows].filter(([, row]) => row[sum] !== 0);
  return named.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** How many rows one statement writes: every number of rows is a statement that the connection keeps, prepared. */
const MAX_ROWS_PER_STATEMENT = 100;

/** What adds rows to a table. */
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
