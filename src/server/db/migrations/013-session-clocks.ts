/** When each session was received, and by how much its clock was corrected. */
import { type Kysely, sql } from "kysely";

interface SessionClockTables {
  sessions: { item: string };
}

export async function up(untyped: Kysely<unknown>): Promise<void> {
  const db = untyped as Kysely<SessionClockTables>;
  await db.schema.alterTable("sessions").addColumn("received_at", "bigint").execute();
  await db.schema.alterTable("sessions").addColumn("clock_shift", "bigint").execute();
  // Nothing recorded when these sessions were received, so they keep their times and get no receipt.
  const fields = ',"receivedAt":null,"clockCorrected":false}';
  await db
    .updateTable("sessions")
    .set({ item: sql<string>`substr(item, 1, length(item) - 1) || ${sql.lit(fields)}` })
    .execute();
}
