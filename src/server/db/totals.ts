/** Totals from kept sums. */
import { type SumTable, sumTables } from "./counters.ts";
import { type Days, type Range, splitDays } from "./days.ts";
import { kept } from "./prepared.ts";
import type { Db } from "./schema.ts";
import { untyped } from "./untyped.ts";

/** What a sum is narrowed by: absent values do not narrow, the games of an account stand for their ids. */
export interface Narrow {
  readonly accountId: string;
  /** Undefined over all of the account's games. */
  readonly gameId?: string | undefined;
  readonly equal: Readonly<Record<string, string | undefined>>;
  /** Unset sums over all time. */
  readonly days?: Days | undefined;
}

/**
 * The sum of what is counted; null where the table that would tell does not part what it is narrowed by. The account's
 * own tables answer where neither a game nor a build narrows it.
 */
export async function sumOf(db: Db, counted: "session" | "insight", narrow: Narrow): Promise<number | null> {
  const { accountId, gameId, days } = narrow;
  const equal = Object.entries(narrow.equal).filter(([, value]) => value !== undefined);
  const ofAccount = gameId === undefined && narrow.equal.build === undefined;
  const table = tableOf(counted, ofAccount, days !== undefined);
  const key: readonly string[] = sumTables[table].key;
  if (equal.some(([column]) => !key.includes(column))) return null;
  const { rows } = await totals[table](db, { accountId, gameId, ...days, ...Object.fromEntries(equal) });
  return Number(rows[0]?.total ?? 0);
}

/** What a total is narrowed by; every further field is a column of the table. */
interface Wanted extends Partial<Days> {
  readonly accountId: string;
  readonly gameId: string | undefined;
}

/** The query of a table's totals. */
function totalOf(table: SumTable) {
  const { key, sum }: { key: readonly string[]; sum: string } = sumTables[table];
  return kept((db, { accountId, gameId, first, last, ...equal }: Wanted) => {
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

const totals = Object.fromEntries(
  Object.keys(sumTables).map((table) => [table, totalOf(table as SumTable)]),
) as Record<SumTable, ReturnType<typeof totalOf>>;

function tableOf(counted: "session" | "insight", ofAccount: boolean, byDay: boolean): SumTable {
  if (counted === "session" && byDay && !ofAccount) return "session_rollups";
  return `${ofAccount ? "account_" : ""}${counted}_${byDay ? "day_" : ""}counts` as SumTable;
}

/**
 * How many match a range: summed from kept counts over the days that lie whole in it, and counted row by row on the days
 * that it cuts, and where no count is kept of what narrows it. `countRows` counts those of a part.
 */
export async function countWithin(
  db: Db,
  counted: "session" | "insight",
  narrow: Omit<Narrow, "days">,
  range: Range,
  countRows: (part: Range) => Promise<number>,
): Promise<number> {
  const isBound = range.from !== undefined || range.to !== undefined;
  const { days, parts } = isBound ? splitDays(range) : { days: undefined, parts: [] };
  const whole = days === null ? null : await sumOf(db, counted, { ...narrow, days });
  if (whole === null) return await countRows(range);
  let total = whole;
  for (const part of parts) total += await countRows(part);
  return total;
}
