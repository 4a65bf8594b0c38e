/** The share of sessions in which SDKs record an event. Null if all do. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("event_config").addColumn("sample_rate", "double precision").execute();
}
