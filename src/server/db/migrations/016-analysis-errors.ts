/** Why the analysis of a session failed. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  // Null for sessions that failed before.
  await db.schema.alterTable("sessions").addColumn("analysis_error", "text").execute();
}
