/** Whether the title of a session was sent, and where it ended. Null until its next analysis. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("sessions").addColumn("title_sent", "bigint").execute();
  await db.schema.alterTable("sessions").addColumn("last_room", "text").execute();
}
