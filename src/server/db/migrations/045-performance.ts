/** The frame times, memory and load times of sessions by room. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("sessions").addColumn("performance", "text").execute();
}
