/** Playtest batches, their keys and their invites. */
import type { CreateTableBuilder, Kysely } from "kysely";

/** A builder for a table whose column names are not known to the type system. */
type BatchTableBuilder = CreateTableBuilder<string, string>;

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("playtest_batches")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("distribution_target", "text", (c) => c.notNull())
    .addColumn("fulfillment_source", "text", (c) => c.notNull())
    .addColumn("redemption_mode", "text", (c) => c.notNull())
    .addColumn("identity_mode", "text", (c) => c.notNull())
    .addColumn("share_token", "text")
    .addColumn("instructions", "text")
    .addColumn("expires_at", "bigint")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("playtest_batches_key", ["game_id", "id"])
    .execute();
  await keys(db);
  await invites(db);
}

async function keys(db: Kysely<unknown>): Promise<void> {
  let table: BatchTableBuilder = db.schema
    .createTable("playtest_keys")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("batch_id", "text", (c) => c.notNull())
    .addColumn("fingerprint", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("redeemed_at", "bigint");
  for (const name of ["by_email", "by_handle"] as const) table = table.addColumn(`redeemed_${name}`, "text");
  for (const name of ["country", "user_agent", "ip"] as const)
    table = table.addColumn(`redemption_${name}`, "text");
  await table
    .addColumn("tester_invite_id", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("playtest_keys_key", ["game_id", "id"])
    .addUniqueConstraint("playtest_keys_by_fingerprint", ["game_id", "fingerprint"])
    .execute();
  await db.schema
    .createIndex("playtest_keys_by_batch")
    .on("playtest_keys")
    .columns(["game_id", "batch_id", "created_at", "id"])
    .execute();
}

async function invites(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("tester_invites")
    .addColumn("game_id", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("batch_id", "text", (c) => c.notNull())
    .addColumn("email", "text", (c) => c.notNull())
    .addColumn("personal_note", "text")
    .addColumn("token_hash", "text", (c) => c.notNull())
    .addColumn("sent_at", "bigint")
    .addColumn("opened_at", "bigint")
    .addColumn("redeemed_at", "bigint")
    .addPrimaryKeyConstraint("tester_invites_key", ["game_id", "id"])
    .addUniqueConstraint("tester_invites_by_email", ["game_id", "batch_id", "email"])
    .execute();
}
