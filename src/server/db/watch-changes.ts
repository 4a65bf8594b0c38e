/** Detects whether a transaction has written anything. */
import { type KyselyPlugin, type QueryResult, sql, type UnknownRow } from "kysely";
import { shareCounters } from "./counters.ts";
import type { Db } from "./schema.ts";
import { isSharded } from "./sharding.ts";
import type { Store } from "./store.ts";

interface WatchedTransaction {
  /** Runs its queries. */
  readonly db: Db;
  /** Whether it has changed a row since `watchChanges` was called. */
  hasChanged(): Promise<boolean>;
}

/** Starts to watch a transaction. */
export async function watchChanges(db: Db, engine: Store["engine"]): Promise<WatchedTransaction> {
  if (isSharded(db)) return watchResults(db);
  const read = engine === "sqlite" ? readSqliteChanges : readPostgresTransaction;
  const before = await read(db);
  return { db, hasChanged: async () => (await read(db)) !== before };
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

/** The coordinator of a cluster assigns no id if only workers write, so the numbers of written rows are read from results. */
function watchResults(db: Db): WatchedTransaction {
  let hasChanged = false;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }): Promise<QueryResult<UnknownRow>> {
      if (result.numAffectedRows) hasChanged = true;
      return result;
    },
  };
  const watched = db.withPlugin(plugin) as Db;
  shareCounters(db, watched);
  return { db: watched, hasChanged: async () => hasChanged };
}
