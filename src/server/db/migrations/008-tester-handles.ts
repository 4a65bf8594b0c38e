/** An index that finds the sessions of a tester handle, for journeys. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex("sessions_by_tester_handle")
    .on("sessions")
    .columns(["game_id", "tester_handle", "recorded_at desc", "id"])
    .execute();
}
