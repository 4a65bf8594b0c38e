/** Event counts by name across all days, so that counts without a time range do not depend on the number of days. */
import { type CreateTableBuilder, type Kysely, sql } from "kysely";

/** A builder for a table whose column names are not known to the type system. */
type EventTotalTableBuilder = CreateTableBuilder<string, string>;

type EventTotalTables = Record<"event_rollups" | "event_totals", Record<string, string | number>>;

const key = ["game_id", "build", "environment", "name"] as const;

export async function up(untyped: Kysely<unknown>): Promise<void> {
  const db = untyped as Kysely<EventTotalTables>;
  let table: EventTotalTableBuilder = db.schema.createTable("event_totals");
  for (const column of key) table = table.addColumn(column, "text", (c) => c.notNull());
  await table
    .addColumn("count", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("event_totals_key", [...key])
    .execute();
  const count = sql<number>`cast(sum(${sql.ref("count")}) as bigint)`;
  await db
    .insertInto("event_totals")
    .columns([...key, "count"])
    .expression((eb) =>
      eb
        .selectFrom("event_rollups")
        .select([...key])
        .select(count.as("count"))
        .groupBy([...key]),
    )
    .execute();
}
