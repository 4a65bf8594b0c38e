/** Totals from kept sums. */
import type { Kysely } from "kysely";
import { kept } from "../db/kept.ts";
import type { Db } from "../db/schema.ts";
import { type SumTable, sumTables } from "../db/sums.ts";
import type { Days } from "./days.ts";

type Loose = Kysely<Record<string, Record<string, string | number>>>;

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
    const games = db.selectFrom("games").select("id").where("account_id", "=", accountId);
    return (db as unknown as Loose)
      .selectFrom(table)
      .select((eb) => eb.fn.sum<number | null>(sum).as("total"))
      .where((eb) =>
        eb.and([
          key.includes("account_id")
            ? eb("account_id", "=", accountId)
            : eb("game_id", "in", gameId === undefined ? (games as never) : [gameId]),
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
