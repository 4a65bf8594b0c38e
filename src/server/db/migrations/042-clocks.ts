/**
 * How often the clock of a session's device jumped, by how much, and whether the client sent the correction of its clock.
 * Sessions that exist count from 0, and the service corrected them.
 */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ["clock_jumps", "jump_ms", "shift_sent"])
    await db.schema
      .alterTable("sessions")
      .addColumn(name, name === "jump_ms" ? "bigint" : "integer", (column) => column.notNull().defaultTo(0))
      .execute();
}
