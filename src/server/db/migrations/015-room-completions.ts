/** Whether a session completed each room it entered. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  // Null until the session is analyzed again.
  await db.schema.alterTable("room_times").addColumn("completed", "integer").execute();
}
