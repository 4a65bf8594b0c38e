/** Counters by day, so that totals of lists with a time range do not have to count rows either. */
import { type CreateTableBuilder, type Kysely, sql } from "kysely";

/** A builder for a table whose column names are not known to the type system. */
type DayCountTableBuilder = CreateTableBuilder<string, string>;

type DayCountTables = Record<string, Record<string, string | number>>;

const tables: ReadonlyArray<{
  readonly name: string;
  readonly key: readonly string[];
  readonly rows: "sessions" | "insights";
  readonly time: string;
}> = [
  {
    name: "account_session_day_counts",
    key: ["account_id", "day", "environment"],
    rows: "sessions",
    time: "recorded_at",
  },
  {
    name: "insight_day_counts",
    key: ["game_id", "day"],
    rows: "insights",
    time: "created_at",
  },
  {
    name: "account_insight_day_counts",
    key: ["account_id", "day"],
    rows: "insights",
    time: "created_at",
  },
];

const DAY = sql.lit(86_400_000);

export async function up(untyped: Kysely<unknown>): Promise<void> {
  const db = untyped as Kysely<DayCountTables>;
  for (const { name, key, rows, time } of tables) {
    let table: DayCountTableBuilder = db.schema.createTable(name);
    for (const column of key) {
      table = table.addColumn(column, column === "day" ? "bigint" : "text", (c) => c.notNull());
    }
    await table
      .addColumn(rows, "bigint", (c) => c.notNull())
      .addPrimaryKeyConstraint(`${name}_key`, [...key])
      .execute();
    // Integer division rounds toward zero, but the day of a time before 1970 must be rounded down.
    const at = sql.ref<number>(time);
    const day = sql<number>`(${at} - ((${at} % ${DAY}) + ${DAY}) % ${DAY}) / ${DAY}`;
    const own = key.filter((column) => column !== "day");
    await db
      .insertInto(name)
      .columns([...own, "day", rows])
      .expression((eb) =>
        eb
          .selectFrom(rows)
          .select([...own])
          .select(day.as("day"))
          .select((s) => s.fn.countAll<number>().as(rows))
          .groupBy([...own])
          .groupBy(day),
      )
      .execute();
  }
}
