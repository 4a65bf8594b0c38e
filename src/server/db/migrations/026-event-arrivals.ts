/** When each batch of events arrived, so that events can be listed in the order of arrival. */
import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  // The default lets the database add the column without writing every row twice. Every insertion sets the time.
  await db.schema
    .alterTable("event_batches")
    .addColumn("received_at", "bigint", (c) => c.notNull().defaultTo(0))
    .execute();
  // Earlier versions stored only when a session arrived.
  await sql`
    update event_batches set received_at = coalesce((
      select coalesce(s.received_at, s.recorded_at) from sessions as s
      where s.game_id = event_batches.game_id and s.id = event_batches.session_id
    ), 0)
  `.execute(db);
  await db.schema
    .createIndex("event_batches_by_arrival")
    .on("event_batches")
    .columns(["game_id", "received_at", "session_id", "seq"])
    .execute();
}
