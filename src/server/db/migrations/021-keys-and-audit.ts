/** Names, environments, expiry and last use of API keys, the audit of administrative changes, and the database's own secrets. */
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ["name", "environment"] as const)
    await db.schema.alterTable("keys").addColumn(column, "text").execute();
  for (const column of ["expires_at", "last_used_at"] as const)
    await db.schema.alterTable("keys").addColumn(column, "bigint").execute();
  await db.schema
    .createTable("secrets")
    .addColumn("name", "text", (c) => c.primaryKey().notNull())
    .addColumn("value", "text", (c) => c.notNull())
    .execute();
  await db.schema
    .createTable("audit")
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("at", "bigint", (c) => c.notNull())
    .addColumn("action", "text", (c) => c.notNull())
    .addColumn("actor", "text", (c) => c.notNull())
    .addColumn("target", "text")
    .addColumn("detail", "text", (c) => c.notNull())
    .addColumn("logged", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("audit_key", ["account_id", "id"])
    .execute();
  await db.schema.createIndex("audit_by_time").on("audit").columns(["at", "id"]).execute();
  await sql`create index audit_not_logged on audit (at) where logged = 0`.execute(db);
}
