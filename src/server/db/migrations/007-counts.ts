/** Counters for the totals of lists, and indexes for filters that would otherwise scan whole tables. */
import type { CreateTableBuilder, Kysely } from "kysely";

/** A builder for a table whose column names are not known to the type system. */
type CountTableBuilder = CreateTableBuilder<string, string>;

/** The columns that this migration reads and writes. */
interface CountTables {
  sessions: Record<"game_id" | "account_id" | "build" | "environment" | "status" | "source", string> & {
    device_id: string | null;
  };
  insights: Record<"game_id" | "account_id" | "build" | "type" | "sentiment", string>;
  game_devices: { game_id: string; device_id: string };
  game_counts: { game_id: string; devices: number };
  session_counts: Record<string, string | number>;
  account_session_counts: Record<string, string | number>;
  insight_counts: Record<string, string | number>;
  account_insight_counts: Record<string, string | number>;
}

export async function up(untyped: Kysely<unknown>): Promise<void> {
  const db = untyped as Kysely<CountTables>;
  await countTable(db, "session_counts", ["game_id", "build", "environment", "status", "source"], "sessions");
  await countTable(
    db,
    "account_session_counts",
    ["account_id", "environment", "status", "source"],
    "sessions",
  );
  await countTable(db, "insight_counts", ["game_id", "build", "type", "sentiment"], "insights");
  await countTable(db, "account_insight_counts", ["account_id", "type", "sentiment"], "insights");
  await countTable(db, "game_counts", ["game_id"], "devices");
  await db.schema
    .createTable("game_devices")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("device_id", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("game_devices_key", ["game_id", "device_id"])
    .execute();
  await indexes(db);
  await fill(db);
}

async function countTable(
  db: Kysely<CountTables>,
  name: string,
  key: readonly string[],
  count: string,
): Promise<void> {
  let table: CountTableBuilder = db.schema.createTable(name);
  for (const column of key) table = table.addColumn(column, "text", (c) => c.notNull());
  await table
    .addColumn(count, "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint(`${name}_key`, [...key])
    .execute();
}

async function indexes(db: Kysely<CountTables>): Promise<void> {
  const newest = ["recorded_at desc", "id"];
  const definitions: [string, "sessions" | "insights", string[]][] = [
    ["sessions_by_account_status", "sessions", ["account_id", "status", ...newest]],
    ["sessions_by_account_env", "sessions", ["account_id", "environment", ...newest]],
    ["sessions_by_account_build", "sessions", ["account_id", "build", ...newest]],
    ["sessions_by_status", "sessions", ["game_id", "status", ...newest]],
    ["sessions_by_env", "sessions", ["game_id", "environment", ...newest]],
    ["insights_by_account_type", "insights", ["account_id", "type", "created_at desc", "id"]],
    ["insights_by_account_build", "insights", ["account_id", "build", "created_at desc", "id"]],
    ["insights_by_type", "insights", ["game_id", "type", "created_at desc", "id"]],
    ["insights_by_build", "insights", ["game_id", "build", "created_at desc", "id"]],
  ];
  for (const [name, table, columns] of definitions) {
    await db.schema.createIndex(name).on(table).columns(columns).execute();
  }
}

/** Counts existing rows. */
async function fill(db: Kysely<CountTables>): Promise<void> {
  const ofGame = ["game_id", "build", "environment", "status", "source"] as const;
  const ofAccount = ["account_id", "environment", "status", "source"] as const;
  for (const [name, key] of [
    ["session_counts", ofGame],
    ["account_session_counts", ofAccount],
  ] as const) {
    await db
      .insertInto(name)
      .columns([...key, "sessions"])
      .expression((eb) =>
        eb
          .selectFrom("sessions")
          .select([...key])
          .select((s) => s.fn.countAll<number>().as("sessions"))
          .groupBy([...key]),
      )
      .execute();
  }
  for (const [name, key] of [
    ["insight_counts", ["game_id", "build", "type", "sentiment"]],
    ["account_insight_counts", ["account_id", "type", "sentiment"]],
  ] as const) {
    await db
      .insertInto(name)
      .columns([...key, "insights"])
      .expression((eb) =>
        eb
          .selectFrom("insights")
          .select([...key])
          .select((s) => s.fn.countAll<number>().as("insights"))
          .groupBy([...key]),
      )
      .execute();
  }
  await db
    .insertInto("game_devices")
    .columns(["game_id", "device_id"])
    .expression((eb) =>
      eb
        .selectFrom("sessions")
        .select("game_id")
        .select((s) => s.ref("device_id").$castTo<string>().as("device_id"))
        .where("device_id", "is not", null)
        .distinct(),
    )
    .execute();
  await db
    .insertInto("game_counts")
    .columns(["game_id", "devices"])
    .expression((eb) =>
      eb
        .selectFrom("game_devices")
        .select("game_id")
        .select((s) => s.fn.countAll<number>().as("devices"))
        .groupBy("game_id"),
    )
    .execute();
}
