/** The largest increase of the crash rate that does not matter in an experiment. Null for the default. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("experiments").addColumn("crash_margin", "double precision").execute();
}
