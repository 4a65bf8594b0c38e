/** What sessions did in their rooms, when their findings had shown, and which sessions crashed. Null until their next analysis. */
import type { Kysely } from "kysely";

const columns = [
  ...(["after_ms", "active_ms", "failed", "quit", "gave_up"] as const).map(
    (column) => ["room_times", column] as const,
  ),
  ["insights", "after_ms"],
  ["sessions", "crashed"],
] as const;

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, column] of columns)
    await db.schema.alterTable(table).addColumn(column, "bigint").execute();
}
