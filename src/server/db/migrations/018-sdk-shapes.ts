/** What SDKs of other engines send and read: bug reports, the times of feedback, and the settings of a game. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  // Null for the defaults.
  await db.schema.alterTable("games").addColumn("sdk_settings", "text").execute();
  // Null if the client did not send them.
  for (const column of ["asked_at_sec", "answered_at_sec"])
    await db.schema.alterTable("feedback_submissions").addColumn(column, "double precision").execute();
  await bugReports(db);
}

async function bugReports(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("bug_reports")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("session_id", "text")
    .addColumn("idempotency_key", "text", (c) => c.notNull())
    .addColumn("content_hash", "text", (c) => c.notNull())
    .addColumn("title", "text", (c) => c.notNull())
    .addColumn("description", "text", (c) => c.notNull())
    .addColumn("severity", "text", (c) => c.notNull())
    .addColumn("player_id", "text")
    .addColumn("build", "text", (c) => c.notNull())
    .addColumn("environment", "text", (c) => c.notNull())
    .addColumn("platform", "text", (c) => c.notNull())
    .addColumn("device", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("bug_reports_key", ["game_id", "id"])
    .execute();
  await db.schema
    .createIndex("bug_reports_by_idempotency_key")
    .unique()
    .on("bug_reports")
    .columns(["game_id", "idempotency_key"])
    .execute();
  await db.schema
    .createIndex("bug_reports_by_session")
    .on("bug_reports")
    .columns(["game_id", "session_id"])
    .execute();
  await db.schema
    .createIndex("bug_reports_by_time")
    .on("bug_reports")
    .columns(["game_id", "created_at desc", "id"])
    .execute();
}
