/** Counts, reads, deletes and clears the rows that belong to a tester, by the definitions of the tables. */

import { sql } from "kysely";
import { MAX_IN_VALUES, untyped, updateRows } from "../db/rows.ts";
import type { Db } from "../db/schema.ts";
import type { FinderKind } from "../db/tables/define.ts";
import { getTable, listColumns, type StoredTable, storedTables } from "../db/tables.ts";

/** The number of rows by table. Tables without any are left out. */
export type RowCounts = { readonly [Table in StoredTable]?: number };

export function addCounts(...counts: readonly RowCounts[]): RowCounts {
  const sum: { [Table in StoredTable]?: number } = {};
  for (const part of counts)
    for (const [table, rows] of Object.entries(part) as [StoredTable, number][])
      if (rows > 0) sum[table] = (sum[table] ?? 0) + rows;
  return sum;
}

/** The ids by which rows of one game are found. */
export type Finders = { readonly [Kind in FinderKind]?: readonly string[] };

/** Maximum number of sessions in one query. SQLite allows 32,766 values. */
const MAX_SESSIONS = 10_000;

interface Match {
  readonly table: StoredTable;
  /** The columns to clear; null if the rows are deleted. */
  readonly clears: readonly string[] | null;
  /** The values by column. A row matches if any column has one of its values. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The values of another match of the same table, whose rows do not count again. */
  readonly except?: ReadonlyMap<string, readonly string[]> | undefined;
}

/** Lists matches with few enough sessions for one query each. A row is found by only one of them. */
function listMatches({ session = [], ...others }: Finders): Match[] {
  const first = listMatchesOf({ ...others, session: session.slice(0, MAX_SESSIONS) });
  const except = new Map(listMatchesOf(others).map(({ table, values }) => [table, values]));
  const matches = [...first];
  for (let from = MAX_SESSIONS; from < session.length; from += MAX_SESSIONS)
    for (const match of listMatchesOf({ session: session.slice(from, from + MAX_SESSIONS) }))
      matches.push({ ...match, except: except.get(match.table) });
  return matches;
}

/** The tables that can have rows for the ids, in the order of their definitions. */
function listMatchesOf(finders: Finders): Match[] {
  const matches = new Map<StoredTable, Match & { readonly values: Map<string, readonly string[]> }>();
  for (const [kind, ids] of Object.entries(finders) as [FinderKind, readonly string[]][]) {
    if (ids.length === 0) continue;
    for (const { table, column, clears } of listFinders(kind)) {
      const match = matches.get(table) ?? { table, clears, values: new Map() };
      match.values.set(column, [...(match.values.get(column) ?? []), ...ids]);
      matches.set(table, match);
    }
  }
  return [...matches.values()];
}

interface Finder {
  readonly table: StoredTable;
  readonly column: string;
  /** The columns to clear; null if the rows are deleted. */
  readonly clears: readonly string[] | null;
}

/** The columns by which the rows of each table are found. */
const allFinders = storedTables.flatMap((table) =>
  listColumns(table).flatMap(([column, facts]) =>
    (facts.finders ?? []).map((kind) => ({ kind, table, column, clears: listCleared(table) })),
  ),
);

const listFinders = (kind: FinderKind): Finder[] => allFinders.filter((finder) => finder.kind === kind);

function listCleared(table: StoredTable): string[] | null {
  if (getTable(table).erasure !== "clear") return null;
  return listColumns(table).flatMap(([column, { owner }]) => (owner === "tester" ? [column] : []));
}

/** Matches the rows in which any column has one of its values. */
function matchesAny(values: Match["values"]) {
  const parts = [...values].flatMap(([column, all]) => {
    const clauses = [];
    for (let from = 0; from < all.length; from += MAX_IN_VALUES)
      clauses.push(sql`${sql.ref(column)} in (${sql.join(all.slice(from, from + MAX_IN_VALUES))})`);
    return clauses;
  });
  return sql<boolean>`(${sql.join(parts, sql` or `)})`;
}

/** Matches the rows that have something to erase: what was cleared before does not count again. */
function buildCondition({ values, except, clears }: Match) {
  const all = matchesAny(values);
  const found = except ? sql<boolean>`(${all} and ${matchesAny(except)} is not true)` : all;
  if (clears === null) return found;
  const filled = clears.map((column) => sql`${sql.ref(column)} is not null`);
  return sql<boolean>`(${found} and (${sql.join(filled, sql` or `)}))`;
}

/** Counts the rows of a game by table. */
export async function countRows(db: Db, gameId: string, finders: Finders): Promise<RowCounts> {
  const counts: RowCounts[] = [];
  for (const match of listMatches(finders)) {
    const row = await untyped(db)
      .selectFrom(match.table)
      .select((eb) => eb.fn.countAll<number>().as("rows"))
      .where("game_id", "=", gameId)
      .where(buildCondition(match))
      .executeTakeFirstOrThrow();
    counts.push({ [match.table]: Number(row.rows) });
  }
  return addCounts(...counts);
}

/** Deletes or clears the rows of a game, and returns how many by table. */
export async function eraseRows(db: Db, gameId: string, finders: Finders): Promise<RowCounts> {
  const counts: RowCounts[] = [];
  for (const match of listMatches(finders)) {
    const { table, clears } = match;
    const condition = buildCondition(match);
    if (clears === null) {
      const result = await untyped(db)
        .deleteFrom(table)
        .where("game_id", "=", gameId)
        .where(condition)
        .executeTakeFirst();
      counts.push({ [table]: Number(result.numDeletedRows) });
    } else {
      const result = await untyped<string | number | null>(db)
        .updateTable(table)
        .set(Object.fromEntries(clears.map((column) => [column, null])))
        .where("game_id", "=", gameId)
        .where(condition)
        .executeTakeFirst();
      counts.push({ [table]: Number(result.numUpdatedRows) });
    }
  }
  return addCounts(...counts);
}

/** Reads the rows of a game, by table. */
export async function readFoundRows(
  db: Db,
  gameId: string,
  finders: Finders,
): Promise<Map<StoredTable, Record<string, unknown>[]>> {
  const found = new Map<StoredTable, Record<string, unknown>[]>();
  for (const match of listMatches(finders)) {
    const rows = await untyped<unknown>(db)
      .selectFrom(match.table)
      .selectAll()
      .where("game_id", "=", gameId)
      .where(buildCondition(match))
      .execute();
    if (rows.length > 0) found.set(match.table, [...(found.get(match.table) ?? []), ...rows]);
  }
  return found;
}

export async function findSessionIds(db: Db, gameId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("sessions")
    .select("id")
    .where("game_id", "=", gameId)
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes every row that names a game, and the game. Its arrivals are only counted, because their numbers continue. */
export async function deleteRowsOfGame(db: Db, gameId: string): Promise<RowCounts> {
  const counts: RowCounts[] = [];
  const cleared = { game_id: null, session_id: null, seq: null, refusals: null };
  await updateRows(db, "arrivals", { game_id: gameId }, cleared);
  for (const table of storedTables) {
    const column = table === "games" ? "id" : "game_id" in getTable(table).columns ? "game_id" : null;
    if (column === null || table === "arrivals") continue;
    const { numDeletedRows } = await untyped(db)
      .deleteFrom(table)
      .where(column, "=", gameId)
      .executeTakeFirst();
    counts.push({ [table]: Number(numDeletedRows) });
  }
  return addCounts(...counts);
}
