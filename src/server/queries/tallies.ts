/** Tables of kept counts: adding to them, and sums over them. */
import { type Kysely, sql } from "kysely";
import type { Db } from "../db/schema.ts";
import type { Days } from "./days.ts";

/** Each table's key and what it counts. */
const tables = {
  session_counts: ["game_id", "build", "environment", "status", "source"],
  account_session_counts: ["account_id", "environment", "status", "source"],
  // Kept with the sums of events, see rollups.ts.
  session_rollups: ["game_id", "build", "environment", "day"],
  account_session_day_counts: ["account_id", "day", "environment"],
  insight_counts: ["game_id", "build", "type", "sentiment"],
  account_insight_counts: ["account_id", "type", "sentiment"],
  insight_day_counts: ["game_id", "day"],
  account_insight_day_counts: ["account_id", "day"],
} as const;
export type Tally = keyof typeof tables;

const countedBy = (table: Tally) => (table.includes("session") ? "sessions" : "insights");

type Value = string | number;
type Loose = Kysely<Record<Tally, Record<string, Value>>>;
const loose = (db: Db) => db as unknown as Loose;

/** A row with the values of every key it is counted by, and by how much. */
export interface Change {
  readonly row: Readonly<Record<string, unknown>>;
  readonly by: number;
}

/** Adds to a table. Changes of the same key are merged first, for one statement may touch a row once. */
export async function addTo(db: Db, table: Tally, changes: readonly Change[]): Promise<void> {
  const key = tables[table];
  const count = countedBy(table);
  const merged = new Map<string, Record<string, Value>>();
  for (const { row, by } of changes) {
    const values = key.map((column) => [column, row[column] as Value] as const);
    const name = JSON.stringify(values);
    const known = merged.get(name);
    if (known) known[count] = Number(known[count]) + by;
    else merged.set(name, { ...Object.fromEntries(values), [count]: by });
  }
  const rows = [...merged.values()].filter((row) => row[count] !== 0);
  if (rows.length === 0) return;
  await loose(db)
    .insertInto(table)
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns([...key]).doUpdateSet({
        [count]: sql<number>`${sql.ref(`${table}.${count}`)} + ${sql.ref(`excluded.${count}`)}`,
      }),
    )
    .execute();
}

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
  const table = tallyOf(counted, ofAccount, days !== undefined);
  const key: readonly string[] = tables[table];
  if (equal.some(([column]) => !key.includes(column))) return null;
  const games =
    gameId === undefined ? db.selectFrom("games").select("id").where("account_id", "=", accountId) : [gameId];
  const row = await loose(db)
    .selectFrom(table)
    .select((eb) => eb.fn.sum<number | null>(countedBy(table)).as("total"))
    .where((eb) =>
      eb.and([
        ofAccount ? eb("account_id", "=", accountId) : eb("game_id", "in", games as readonly string[]),
        ...(days ? [eb("day", ">=", days.first), eb("day", "<=", days.last)] : []),
        ...equal.map(([column, value]) => eb(column, "=", value ?? "")),
      ]),
    )
    .executeTakeFirstOrThrow();
  return Number(row.total ?? 0);
}

function tallyOf(counted: "session" | "insight", ofAccount: boolean, byDay: boolean): Tally {
  if (counted === "session" && byDay && !ofAccount) return "session_rollups";
  return `${ofAccount ? "account_" : ""}${counted}_${byDay ? "day_" : ""}counts` as Tally;
}
