/** Counts by day, beside the rollups of sessions, so that the total of a list between two times is a sum too. */
import { type CreateTableBuilder, type Kysely, sql } from "kysely";

/** A table whose columns are named by data. */
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
    // Division of whole numbers rounds towards 0 on every engine; a day begins at or before its times.
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
