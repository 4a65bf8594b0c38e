/**
 * The counters of accounts. On a sharded database, they have a row per game in the shard of the game, so that a new session is
 * stored on one node. Otherwise they have one row for all games, which is read faster.
 */
import { sql } from "kysely";
import { type CounterTable, counterTables } from "./counters.ts";
import type { Db } from "./schema.ts";
import { isSharded } from "./sharding.ts";

/** The counters of games whose sums are those of an account. */
const sources = {
  account_session_counts: "session_counts",
  account_session_day_counts: "session_rollups",
  account_insight_counts: "insight_counts",
  account_insight_day_counts: "insight_day_counts",
} as const satisfies { readonly [Name in CounterTable]?: CounterTable };

const names = Object.keys(sources) as (keyof typeof sources)[];

/** Counts again from the counters of games if rows were written by a database of the other kind. */
export async function adaptAccountCounters(db: Db, toSharded = isSharded(db)): Promise<void> {
  for (const name of names) {
    const isForeign = sql<boolean>`(game_id <> '') <> ${sql.lit(toSharded)}`;
    const found = await db.selectFrom(name).select("game_id").where(isForeign).limit(1).executeTakeFirst();
    if (found) await recount(db, name, toSharded);
  }
}

async function recount(db: Db, name: keyof typeof sources, toSharded: boolean): Promise<void> {
  await db.deleteFrom(name).execute();
  const { key, sum } = counterTables[name];
  const columns = key.filter((column) => column !== "account_id" && column !== "game_id");
  const counted = columns.map((column) => sql.ref(`c.${column}`));
  const game = toSharded ? sql`c.game_id` : sql`''`;
  const groups = [sql`g.account_id`, ...counted, ...(toSharded ? [game] : [])];
  await sql`
    insert into ${sql.table(name)} (account_id, ${sql.join(columns.map((column) => sql.ref(column)))}, game_id, ${sql.ref(sum)})
    select g.account_id, ${sql.join(counted)}, ${game}, cast(sum(${sql.ref(`c.${sum}`)}) as bigint)
    from ${sql.table(sources[name])} as c join games as g on g.id = c.game_id
    group by ${sql.join(groups)}
    having sum(${sql.ref(`c.${sum}`)}) <> 0
  `.execute(db);
}
