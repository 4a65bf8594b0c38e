/** When each session was received, and the correction of its client's clock. */
import { type Kysely, sql } from "kysely";

interface SessionClockTables {
  sessions: { item: string };
}

export async function up(untyped: Kysely<unknown>): Promise<void> {
  const db = untyped as Kysely<SessionClockTables>;
  await db.schema.alterTable("sessions").addColumn("received_at", "bigint").execute();
  await db.schema.alterTable("sessions").addColumn("clock_shift", "bigint").execute();
  // The time of receipt of existing sessions is unknown, so it stays null.
  const fields = ',"receivedAt":null,"clockCorrected":false}';
  await db
    .updateTable("sessions")
    .set({ item: sql<string>`substr(item, 1, length(item) - 1) || ${sql.lit(fields)}` })
    .execute();
}
