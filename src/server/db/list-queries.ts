/** Reads lists of a game, newest first: the SQL that they share. */
import type {
  Expression,
  ExpressionBuilder,
  ReferenceExpression,
  SelectExpression,
  Selection,
  SelectQueryBuilder,
  SqlBool,
} from "kysely";
import { countRows } from "./rows.ts";
import type { Db } from "./schema.ts";

type NoColumns = Record<never, never>;

/** What cannot be derived from the contract: the tables, and the column of each field and filter. */
interface ListSource<DB, TB extends keyof DB, Select, Item> {
  readonly select: readonly Select[];
  toItem(row: Selection<DB, TB, Select>): Item;
  /** The column that contains the id of the game. */
  readonly game: ReferenceExpression<DB, TB>;
  /** The column that each filter compares. */
  readonly filters: Readonly<Record<string, ReferenceExpression<DB, TB>>>;
  /** The column that `from` and `to` limit, and that the list is sorted by, newest first. */
  readonly time: ReferenceExpression<DB, TB> & string;
  /** The column that decides between items of the same time. */
  readonly id: ReferenceExpression<DB, TB> & string;
}

/** The values of filters by name. Undefined values, and `all` for `env`, match everything. */
export type ListFilterValues = Readonly<Record<string, unknown>> & {
  readonly env?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
};

/** The items of a list. */
export interface StoredList<Item> {
  /** One page, newest first. */
  find(db: Db, gameId: string, filter: ListFilterValues, page: PageRange): Promise<Item[]>;
  /** The number of items on all pages. */
  count(db: Db, gameId: string, filter: ListFilterValues): Promise<number>;
  /** The item with an id; undefined without one. */
  findById(db: Db, gameId: string, id: string): Promise<Item | undefined>;
}

/** A part of a list. */
export interface PageRange {
  readonly limit: number;
  readonly offset: number;
}

/** Tables with columns of any names. The types of a source are checked where it is defined. */
type AnyTables = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Defines a list that is read with one SELECT. `from` is its FROM with the joins. */
export function defineStoredList<
  DB,
  TB extends keyof DB,
  Item,
  const Select extends SelectExpression<DB, TB>,
>(from: (db: Db) => SelectQueryBuilder<DB, TB, NoColumns>, definition: ListSource<DB, TB, Select, Item>) {
  const source = definition as unknown as ListSource<AnyTables, string, string, Item>;
  const select = from as unknown as (db: Db) => SelectQueryBuilder<AnyTables, string, NoColumns>;
  const matching = (db: Db, gameId: string, filter: ListFilterValues) =>
    select(db).where((eb) => eb.and(toConditions(eb, source, gameId, filter)));
  return {
    /** FROM and WHERE, for other queries of what a filter matches. */
    matching: matching as unknown as (
      ...args: Parameters<typeof matching>
    ) => SelectQueryBuilder<DB, TB, NoColumns>,
    async find(
      db: Db,
      gameId: string,
      filter: ListFilterValues,
      { limit, offset }: PageRange,
    ): Promise<Item[]> {
      const rows = await matching(db, gameId, filter)
        .select(source.select)
        .orderBy(source.time, "desc")
        .orderBy(source.id)
        .limit(limit)
        .offset(offset)
        .execute();
      return rows.map(source.toItem);
    },
    async count(db: Db, gameId: string, filter: ListFilterValues): Promise<number> {
      return await countRows(matching(db, gameId, filter));
    },
    async findById(db: Db, gameId: string, id: string): Promise<Item | undefined> {
      const row = await matching(db, gameId, {})
        .select(source.select)
        .where(source.id, "=", id)
        .executeTakeFirst();
      return row && source.toItem(row);
    },
  };
}

function toConditions(
  eb: ExpressionBuilder<AnyTables, string>,
  { game, filters, time }: ListSource<AnyTables, string, string, unknown>,
  gameId: string,
  filter: ListFilterValues,
): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [eb(game, "=", gameId)];
  for (const [name, column] of Object.entries(filters)) {
    const value = filter[name];
    if (value === undefined || (name === "env" && value === "all")) continue;
    conditions.push(eb(column, "=", value));
  }
  if (filter.from !== undefined) conditions.push(eb(time, ">=", filter.from));
  if (filter.to !== undefined) conditions.push(eb(time, "<=", filter.to));
  return conditions;
}
