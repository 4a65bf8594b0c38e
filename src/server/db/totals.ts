/** Reads totals from counters. */
import { isInGames, type NamedGames, nameGames } from "./account-games.ts";
import { type CounterTable, counterTables } from "./counters.ts";
import { type DayRange, splitIntoDays, type TimeRange } from "./days.ts";
import { prepareQuery } from "./prepared.ts";
import type { Db } from "./schema.ts";
import { untyped } from "./untyped.ts";

/** Selects what to count. */
export interface TotalFilter {
  readonly accountId: string;
  /** Undefined for all games of the account. */
  readonly gameId?: string | undefined;
  /** Required values by column. Undefined values are ignored. */
  readonly equal: Readonly<Record<string, string | undefined>>;
  /** Undefined for all days. */
  readonly days?: DayRange | undefined;
}

/**
 * Reads the total that matches the filter, or null if no counter has all columns of the filter. The counters of an
 * account are used if the filter has neither a game nor a build.
 */
export async function readTotal(
  db: Db,
  counted: "session" | "insight",
  filter: TotalFilter,
): Promise<number | null> {
  const { accountId, gameId, days } = filter;
  const equal = Object.entries(filter.equal).filter(([, value]) => value !== undefined);
  const byAccount = gameId === undefined && filter.equal.build === undefined;
  const table = selectCounterTable(counted, byAccount, days !== undefined);
  const key: readonly string[] = counterTables[table].key;
  if (equal.some(([column]) => !key.includes(column))) return null;
  const { rows } = await totalQueries[table](db, {
    accountId,
    gameId,
    named: gameId === undefined ? await nameGames(db, accountId) : undefined,
    ...days,
    ...Object.fromEntries(equal),
  });
  return Number(rows[0]?.total ?? 0);
}

/** The values of a query for a total. Every further field is the required value of a column. */
interface TotalQueryValues extends Partial<DayRange> {
  readonly accountId: string;
  readonly gameId: string | undefined;
  readonly named: NamedGames;
}

function prepareTotalQuery(table: CounterTable) {
  const { key, sum }: { key: readonly string[]; sum: string } = counterTables[table];
  return prepareQuery((db, { accountId, gameId, named, first, last, ...equal }: TotalQueryValues) => {
    const anyTable = untyped(db);
    const games = anyTable.selectFrom("games").select("id").where("account_id", "=", accountId);
    return anyTable
      .selectFrom(table)
      .select((eb) => eb.fn.sum<number | null>(sum).as("total"))
      .where((eb) =>
        eb.and([
          key.includes("account_id")
            ? eb("account_id", "=", accountId)
            : eb("game_id", "in", gameId === undefined ? games : [gameId]),
          ...(named === undefined ? [] : [isInGames(named)]),
          ...(first === undefined ? [] : [eb("day", ">=", first)]),
          ...(last === undefined ? [] : [eb("day", "<=", last)]),
          ...Object.entries<string>(equal).map(([column, value]) => eb(column, "=", value)),
        ]),
      );
  });
}

const totalQueries = Object.fromEntries(
  Object.keys(counterTables).map((table) => [table, prepareTotalQuery(table as CounterTable)]),
) as Record<CounterTable, ReturnType<typeof prepareTotalQuery>>;

function selectCounterTable(
  counted: "session" | "insight",
  byAccount: boolean,
  byDay: boolean,
): CounterTable {
  if (counted === "session" && byDay && !byAccount) return "session_rollups";
  return `${byAccount ? "account_" : ""}${counted}_${byDay ? "day_" : ""}counts` as CounterTable;
}

/**
 * Counts the matches in a time range: from counters for the days that the range covers completely, and row by row for
 * partial days. If no counter has all columns of the filter, all rows are counted. `countRows` counts the rows of a range.
 */
export async function countInRange(
  db: Db,
  counted: "session" | "insight",
  filter: Omit<TotalFilter, "days">,
  range: TimeRange,
  countRows: (part: TimeRange) => Promise<number>,
): Promise<number> {
  const isBounded = range.from !== undefined || range.to !== undefined;
  const { days, parts } = isBounded ? splitIntoDays(range) : { days: undefined, parts: [] };
  const counterTotal = days === null ? null : await readTotal(db, counted, { ...filter, days });
  if (counterTotal === null) return await countRows(range);
  let total = counterTotal;
  for (const part of parts) total += await countRows(part);
  return total;
}
