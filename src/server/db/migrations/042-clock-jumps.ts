/** How often the clock of a session's device jumped, and by how much. Sessions that exist count from 0. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ["clock_jumps", "jump_ms"])
    await db.schema
      .alterTable("sessions")
      .addColumn(name, "bigint", (column) => column.notNull().defaultTo(0))
      .execute();
}
