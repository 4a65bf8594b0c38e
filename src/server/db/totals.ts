/** Totals from kept sums. */
import { type CounterTable, counterTables } from "./counters.ts";
import { type DayRange, splitIntoDays, type TimeRange } from "./days.ts";
import { prepareQuery } from "./prepared.ts";
import type { Db } from "./schema.ts";
import { untyped } from "./untyped.ts";

/** What a sum is narrowed by: absent values do not narrow, the games of an account stand for their ids. */
export interface TotalFilter {
  readonly accountId: string;
  /** Undefined over all of the account's games. */
  readonly gameId?: string | undefined;
  readonly equal: Readonly<Record<string, string | undefined>>;
  /** Unset sums over all time. */
  readonly days?: DayRange | undefined;
}

/**
 * The sum of what is counted; null where the table that would tell does not part what it is narrowed by. The account's
 * own tables answer where neither a game nor a build narrows it.
 */
export async function readTotal(
  db: Db,
  counted: "session" | "insight",
  narrow: TotalFilter,
): Promise<number | null> {
  const { accountId, gameId, days } = narrow;
  const equal = Object.entries(narrow.equal).filter(([, value]) => value !== undefined);
  const ofAccount = gameId === undefined && narrow.equal.build === undefined;
  const table = selectCounterTable(counted, ofAccount, days !== undefined);
  const key: readonly string[] = counterTables[table].key;
  if (equal.some(([column]) => !key.includes(column))) return null;
  const { rows } = await totalQueries[table](db, {
    accountId,
    gameId,
    ...days,
    ...Object.fromEntries(equal),
  });
  return Number(rows[0]?.total ?? 0);
}

/** What a total is narrowed by; every further field is a column of the table. */
interface TotalQueryValues extends Partial<DayRange> {
  readonly accountId: string;
  readonly gameId: string | undefined;
}

/** The query of a table's totals. */
function prepareTotalQuery(table: CounterTable) {
  const { key, sum }: { key: readonly string[]; sum: string } = counterTables[table];
  return prepareQuery((db, { accountId, gameId, first, last, ...equal }: TotalQueryValues) => {
    const all = untyped(db);
    const games = all.selectFrom("games").select("id").where("account_id", "=", accountId);
    return all
      .selectFrom(table)
      .select((eb) => eb.fn.sum<number | null>(sum).as("total"))
      .where((eb) =>
        eb.and([
          key.includes("account_id")
            ? eb("account_id", "=", accountId)
            : eb("game_id", "in", gameId === undefined ? games : [gameId]),
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
  ofAccount: boolean,
  byDay: boolean,
): CounterTable {
  if (counted === "session" && byDay && !ofAccount) return "session_rollups";
  return `${ofAccount ? "account_" : ""}${counted}_${byDay ? "day_" : ""}counts` as CounterTable;
}

/**
 * How many match a range: summed from kept counts over the days that lie whole in it, and counted row by row on the days
 * that it cuts, and where no count is kept of what narrows it. `countRows` counts those of a part.
 */
export async function countInRange(
  db: Db,
  counted: "session" | "insight",
  narrow: Omit<TotalFilter, "days">,
  range: TimeRange,
  countRows: (part: TimeRange) => Promise<number>,
): Promise<number> {
  const isBound = range.from !== undefined || range.to !== undefined;
  const { days, parts } = isBound ? splitIntoDays(range) : { days: undefined, parts: [] };
  const whole = days === null ? null : await readTotal(db, counted, { ...narrow, days });
  if (whole === null) return await countRows(range);
  let total = whole;
  for (const part of parts) total += await countRows(part);
  return total;
}
