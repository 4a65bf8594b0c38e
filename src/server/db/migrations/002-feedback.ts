/** Feedback forms and submissions, tester handles with their linked devices, and event configs. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await forms(db);
  await handles(db);
  await eventConfig(db);
}

async function forms(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("feedback_forms")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("fields", "text", (c) => c.notNull())
    .addColumn("trigger_hint", "text", (c) => c.notNull())
    .addColumn("active", "integer", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("feedback_forms_key", ["game_id", "id"])
    .execute();
  await db.schema
    .createTable("feedback_submissions")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("form_id", "text", (c) => c.notNull())
    .addColumn("session_id", "text", (c) => c.notNull())
    .addColumn("request_id", "text", (c) => c.notNull())
    .addColumn("content_hash", "text", (c) => c.notNull())
    .addColumn("form_name", "text", (c) => c.notNull())
    .addColumn("responses", "text", (c) => c.notNull())
    .addColumn("submitted_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("feedback_submissions_key", ["game_id", "id"])
    .addUniqueConstraint("feedback_submissions_by_request", ["game_id", "request_id"])
    .execute();
  for (const [name, column] of [
    ["feedback_submissions_by_form", "form_id"],
    ["feedback_submissions_by_session", "session_id"],
  ] as const) {
    await db.schema.createIndex(name).on("feedback_submissions").columns(["game_id", column]).execute();
  }
}

async function handles(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("tester_handles")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("handle", "text", (c) => c.notNull())
    .addColumn("key_id", "text")
    .addColumn("device_id", "text")
    .addColumn("claimed_at", "bigint")
    .addColumn("claim_token_hash", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("tester_handles_key", ["game_id", "id"])
    .addUniqueConstraint("tester_handles_by_handle", ["game_id", "handle"])
    .addUniqueConstraint("tester_handles_by_device", ["game_id", "device_id"])
    .addUniqueConstraint("tester_handles_by_token", ["game_id", "claim_token_hash"])
    .execute();
}

async function eventConfig(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("event_config")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("sdk_ignore", "integer", (c) => c.notNull())
    .addColumn("link_to_summary", "integer", (c) => c.notNull())
    .addColumn("hide_from_ai", "integer", (c) => c.notNull())
    .addColumn("meaning", "text")
    .addPrimaryKeyConstraint("event_config_key", ["game_id", "name"])
    .execute();
}
