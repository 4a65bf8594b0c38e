/** Detects whether a transaction has written anything. */
import { sql } from "kysely";
import type { Db } from "./schema.ts";
import type { Store } from "./store.ts";

/** Starts to watch a transaction. The returned function resolves with whether it has changed a row since then. */
export async function watchChanges(db: Db, engine: Store["engine"]): Promise<() => Promise<boolean>> {
  const read = engine === "sqlite" ? readSqliteChanges : readPostgresTransaction;
  const before = await read(db);
  return async () => (await read(db)) !== before;
}

/** The number of rows that the connection has changed since it was opened. */
async function readSqliteChanges(db: Db): Promise<unknown> {
  const { rows } = await sql<{ changes: number }>`select total_changes() as changes`.execute(db);
  return rows[0]?.changes;
}

/** The id of the transaction, which Postgres assigns before the first write; null before. */
async function readPostgresTransaction(db: Db): Promise<unknown> {
  const { rows } = await sql<{ id: string | null }>`select txid_current_if_assigned()::text as id`.execute(
    db,
  );
  return rows[0]?.id;
}
