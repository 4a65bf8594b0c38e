/** Adds the game to the keys of an account's counters, so that a sharded database keeps them in the shards of the games. */
import { type CreateTableBuilder, type Kysely, sql } from "kysely";

/** A builder for a table whose column names are not known to the type system. */
type AccountCountTableBuilder = CreateTableBuilder<string, string>;

type AccountCountTables = Record<string, Record<string, string | number>>;

const tables: readonly (readonly [name: string, key: readonly string[], sum: string])[] = [
  ["account_session_counts", ["account_id", "environment", "status", "source"], "sessions"],
  ["account_session_day_counts", ["account_id", "day", "environment"], "sessions"],
  ["account_insight_counts", ["account_id", "type", "sentiment"], "insights"],
  ["account_insight_day_counts", ["account_id", "day"], "insights"],
];

/** SQLite cannot change the primary key of a table, so its rows move to a new one. */
export async function up(untyped: Kysely<unknown>): Promise<void> {
  const db = untyped as Kysely<AccountCountTables>;
  for (const [name, key, sum] of tables) {
    await db.schema.alterTable(name).renameTo(`old_${name}`).execute();
    let table: AccountCountTableBuilder = db.schema.createTable(name);
    for (const column of key)
      table = table.addColumn(column, column === "day" ? "bigint" : "text", (c) => c.notNull());
    await table
      .addColumn("game_id", "text", (c) => c.notNull())
      .addColumn(sum, "bigint", (c) => c.notNull())
      // The names of constraints are unique in a schema, and the old table still has its own.
      .addPrimaryKeyConstraint(`${name}_by_game_key`, [...key, "game_id"])
      .execute();
    await db
      .insertInto(name)
      .columns([...key, "game_id", sum])
      .expression((eb) =>
        eb
          .selectFrom(`old_${name}`)
          .select([...key])
          .select(sql.lit("").as("game_id"))
          .select(sum),
      )
      .execute();
    await db.schema.dropTable(`old_${name}`).execute();
  }
}
