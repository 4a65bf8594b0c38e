/** Accounts, keys, games, sessions with their events and positions, rollups, insights and summaries. */
import type { CreateTableBuilder, Kysely } from "kysely";

/** A builder for a table whose column names are not known to the type system. */
type PlayTableBuilder = CreateTableBuilder<string, string>;

export async function up(db: Kysely<unknown>): Promise<void> {
  await accounts(db);
  await sessions(db);
  await events(db);
  await findings(db);
}

async function accounts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("accounts")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .execute();
  await db.schema
    .createTable("keys")
    .addColumn("hash", "text", (c) => c.primaryKey())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("game_id", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("keys_by_account").on("keys").columns(["account_id", "kind"]).execute();
  await db.schema
    .createTable("games")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("slug", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addUniqueConstraint("games_by_slug", ["account_id", "slug"])
    .execute();
}

async function sessions(db: Kysely<unknown>): Promise<void> {
  const required = [
    "game_id",
    "id",
    "account_id",
    "environment",
    "build",
    "source",
    "status",
    "title",
    "tester",
  ];
  const optional = ["tester_handle", "device_id", "client_session_id", "country", "region", "city"];
  let table: PlayTableBuilder = db.schema.createTable("sessions");
  for (const name of required) table = table.addColumn(name, "text", (c) => c.notNull());
  for (const name of optional) table = table.addColumn(name, "text");
  await table
    .addColumn("recorded_at", "bigint", (c) => c.notNull())
    .addColumn("first_at", "bigint")
    .addColumn("last_at", "bigint")
    .addColumn("wall_ms", "bigint", (c) => c.notNull())
    .addColumn("active_ms", "bigint", (c) => c.notNull())
    .addColumn("metadata", "text", (c) => c.notNull())
    .addColumn("transcript", "text")
    .addColumn("event_counts", "text", (c) => c.notNull())
    .addColumn("snapshot", "text")
    .addColumn("snapshot_at", "bigint")
    .addColumn("experiment_tags", "text", (c) => c.notNull())
    .addColumn("ended", "integer", (c) => c.notNull())
    .addColumn("next_batch", "integer", (c) => c.notNull())
    .addColumn("analysis_due", "bigint")
    .addColumn("analysis_lease", "bigint")
    .addColumn("analysis_attempts", "integer", (c) => c.notNull())
    .addColumn("item", "text", (c) => c.notNull())
    .addColumn("search", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("sessions_key", ["game_id", "id"])
    .execute();
  const indexes: [string, string[]][] = [
    ["sessions_by_id", ["id"]],
    ["sessions_by_account", ["account_id", "recorded_at desc", "id"]],
    ["sessions_by_time", ["game_id", "recorded_at desc", "id"]],
    ["sessions_by_build", ["game_id", "build", "recorded_at desc", "id"]],
    ["sessions_by_device", ["game_id", "device_id", "recorded_at desc", "id"]],
    ["sessions_due", ["analysis_due"]],
  ];
  for (const [name, columns] of indexes) {
    await db.schema.createIndex(name).on("sessions").columns(columns).execute();
  }
  await db.schema
    .createIndex("sessions_by_client_id")
    .on("sessions")
    .columns(["game_id", "client_session_id"])
    .unique()
    .execute();
}

async function events(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("event_batches")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("session_id", "text", (c) => c.notNull())
    .addColumn("seq", "integer", (c) => c.notNull())
    .addColumn("event_count", "integer", (c) => c.notNull())
    .addColumn("payload", "blob", (c) => c.notNull())
    .addPrimaryKeyConstraint("event_batches_key", ["game_id", "session_id", "seq"])
    .execute();
  let chunks = db.schema
    .createTable("position_chunks")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("session_id", "text", (c) => c.notNull())
    .addColumn("seq", "integer", (c) => c.notNull())
    .addColumn("room", "text", (c) => c.notNull())
    .addColumn("mapped", "integer", (c) => c.notNull())
    .addColumn("build", "text", (c) => c.notNull())
    .addColumn("environment", "text", (c) => c.notNull())
    .addColumn("points", "integer", (c) => c.notNull());
  for (const bound of ["x_min", "x_max", "y_min", "y_max"] as const) {
    chunks = chunks.addColumn(bound, "double precision", (c) => c.notNull());
  }
  await chunks
    .addColumn("xy", "blob", (c) => c.notNull())
    .addPrimaryKeyConstraint("position_chunks_key", ["game_id", "session_id", "seq", "room"])
    .execute();
  const covering = ["game_id", "mapped", "room", "build", "environment", "points"];
  await db.schema
    .createIndex("position_chunks_by_room")
    .on("position_chunks")
    .columns([...covering, "x_min", "x_max", "y_min", "y_max"])
    .execute();
  await rollup(db, "event_rollups", "name", "count");
  await rollup(db, "session_rollups", null, "sessions");
}

async function rollup(db: Kysely<unknown>, name: string, by: string | null, sum: string): Promise<void> {
  const key = ["game_id", "build", "environment", "day"];
  let table: PlayTableBuilder = db.schema
    .createTable(name)
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("build", "text", (c) => c.notNull())
    .addColumn("environment", "text", (c) => c.notNull())
    .addColumn("day", "integer", (c) => c.notNull());
  if (by) {
    table = table.addColumn(by, "text", (c) => c.notNull());
    key.push(by);
  }
  await table
    .addColumn(sum, "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint(`${name}_key`, key)
    .execute();
}

async function findings(db: Kysely<unknown>): Promise<void> {
  const words = ["account_id", "session_id", "build", "environment", "tester"];
  let table: PlayTableBuilder = db.schema
    .createTable("insights")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull());
  for (const name of [...words, "type", "sentiment", "tag", "title", "evidence"]) {
    table = table.addColumn(name, "text", (c) => c.notNull());
  }
  await table
    .addColumn("confidence", "double precision", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("insights_key", ["game_id", "id"])
    .execute();
  const indexes: [string, string[]][] = [
    ["insights_by_account", ["account_id", "created_at desc", "id"]],
    ["insights_by_time", ["game_id", "created_at desc", "id"]],
    ["insights_by_session", ["game_id", "session_id"]],
    ["insights_by_tag", ["game_id", "build", "environment", "type", "tag", "tester"]],
  ];
  for (const [name, columns] of indexes) {
    await db.schema.createIndex(name).on("insights").columns(columns).execute();
  }
  for (const [name, of] of [
    ["build_summaries", "build"],
    ["tester_summaries", "device_id"],
  ] as const) {
    await db.schema
      .createTable(name)
      .addColumn("game_id", "text", (c) => c.notNull())
      .addColumn(of, "text", (c) => c.notNull())
      .addColumn("environment", "text", (c) => c.notNull())
      .addColumn("narrative", "text", (c) => c.notNull())
      .addColumn("generated_at", "bigint", (c) => c.notNull())
      .addPrimaryKeyConstraint(`${name}_key`, ["game_id", of, "environment"])
      .execute();
  }
}
