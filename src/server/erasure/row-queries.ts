/** Counts, reads, deletes and clears the rows that `personal-data.ts` finds. */
import { sql } from "kysely";
import type { Db } from "../db/schema.ts";
import { untyped } from "../db/untyped.ts";
import { type FinderKind, listFinders, type PersonalTable } from "./personal-data.ts";

/** The number of rows by table. Tables without any are left out. */
export type RowCounts = { readonly [Table in PersonalTable]?: number };

/** Adds up counts. */
export function addCounts(...counts: readonly RowCounts[]): RowCounts {
  const sum: { [Table in PersonalTable]?: number } = {};
  for (const part of counts)
    for (const [table, rows] of Object.entries(part) as [PersonalTable, number][])
      if (rows > 0) sum[table] = (sum[table] ?? 0) + rows;
  return sum;
}

/** The ids by which rows of one game are found. */
export type Finders = { readonly [Kind in FinderKind]?: readonly string[] };

/** Maximum number of values in one `in` clause. */
const MAX_IN_VALUES = 500;

interface Match {
  readonly table: PersonalTable;
  /** The columns to clear; null if the rows are deleted. */
  readonly clears: readonly string[] | null;
  /** The values by column. A row matches if any column has one of its values. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** The tables that can have rows for the ids, in the order of `personal-data.ts`. */
function listMatches(finders: Finders): Match[] {
  const matches = new Map<PersonalTable, Match & { readonly values: Map<string, readonly string[]> }>();
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

function buildCondition({ values }: Match) {
  const parts = [...values].flatMap(([column, all]) => {
    const clauses = [];
    for (let from = 0; from < all.length; from += MAX_IN_VALUES)
      clauses.push(sql`${sql.ref(column)} in (${sql.join(all.slice(from, from + MAX_IN_VALUES))})`);
    return clauses;
  });
  return sql<boolean>`(${sql.join(parts, sql` or `)})`;
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
): Promise<Map<PersonalTable, Record<string, unknown>[]>> {
  const found = new Map<PersonalTable, Record<string, unknown>[]>();
  for (const match of listMatches(finders)) {
    const rows = await untyped<unknown>(db)
      .selectFrom(match.table)
      .selectAll()
      .where("game_id", "=", gameId)
      .where(buildCondition(match))
      .execute();
    if (rows.length > 0) found.set(match.table, rows);
  }
  return found;
}
