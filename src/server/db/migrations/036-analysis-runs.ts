/** How often the analysis of an ended session has run for new data. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("sessions")
    .addColumn("analysis_runs", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
}
