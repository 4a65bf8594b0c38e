/** How many events a session has stored, and how many bytes. Sessions that exist count from 0. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ["stored_events", "stored_bytes"])
    await db.schema
      .alterTable("sessions")
      .addColumn(name, "bigint", (column) => column.notNull().defaultTo(0))
      .execute();
}
