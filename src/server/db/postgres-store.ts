/** A database on a Postgres server: many connections, and other servers that write at the same time. */
import { type IsolationLevel, Kysely, sql } from "kysely";
import { ServiceError } from "../core/errors.ts";
import { CitusCluster, isDistributed } from "./cluster.ts";
import { liftTimeouts } from "./connection-check.ts";
import { withCounters } from "./counters.ts";
import { CONNECTION_LOST_CODES, getErrorCode, REPEATED_WRITE_CODES, WRITE_CONFLICT_CODES } from "./errors.ts";
import { openPool, postgresDialect } from "./postgres.ts";
import { createTransact } from "./postgres-transaction.ts";
import {
  CITUS_SETTINGS,
  type PostgresOptions,
  prepareDatabase,
  retryOnCodes,
  useDatabase,
} from "./prepare-postgres.ts";
import type { Db, Schema } from "./schema.ts";
import type { Store } from "./store.ts";
import { tableNames } from "./tables.ts";

/** Opens a database and updates its schema. */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const { address, location, durability, statementTimeoutMs, maxConnections, onRetry } = options;
  const settings = { synchronous_commit: durability === "FULL" ? "on" : "off" };
  const { usesCitus, liftsTimeouts } = await prepareDatabase(options, settings);
  const cluster = usesCitus ? new CitusCluster() : null;
  const pool = openPool(address, {
    settings: cluster ? { ...settings, ...CITUS_SETTINGS } : settings,
    ...{ statementTimeoutMs, maxConnections },
  });
  const dialect = postgresDialect(pool, cluster);
  const db = new Kysely<Schema>({ dialect });
  const runTransaction = createTransact(pool, db, dialect);
  await cluster?.start(db);
  /** Runs a transaction. If a node does not respond, finds out which ones do before the next attempt. */
  const attempt = async <T>(codes: ReadonlySet<string>, transaction: () => Promise<T>) =>
    await retryOnCodes(codes, onRetry, async () => {
      try {
        return await transaction();
      } catch (error) {
        if (CONNECTION_LOST_CODES.has(getErrorCode(error))) await cluster?.check();
        throw error;
      }
    });
  const withoutTimeouts = <T>(work: (db: Db) => Promise<T>) =>
    liftsTimeouts
      ? async (transaction: Db) => {
          await liftTimeouts(transaction);
          return await work(transaction);
        }
      : work;
  const transact = <T>(level: IsolationLevel, codes: ReadonlySet<string>, work: (db: Db) => Promise<T>) =>
    attempt(codes, () =>
      runTransaction(
        level,
        withoutTimeouts((transaction) => withCounters(transaction, work)),
      ),
    );
  const snapshot = db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only");
  return {
    engine: "postgres",
    readDb: db,
    writeDb: db,
    location,
    read: (work) => attempt(CONNECTION_LOST_CODES, () => snapshot.execute(withoutTimeouts(work))),
    write: (work) => transact("read committed", REPEATED_WRITE_CODES, work),
    serializable: (work) => transact("serializable", WRITE_CONFLICT_CODES, work),
    syncLater: (work) => work(),
    isComplete: () => (cluster?.reachableGames ?? null) === null,
    pool,
    measureSize: usesCitus ? measureNodes(db) : () => measureSize(db),
    shrink: async () => false,
    purgeDeleted: async () => {
      await useDatabase(options, NO_TIMEOUT, (maintenance) => vacuum(maintenance, location, usesCitus));
      return true;
    },
    // A Postgres server checks its pages itself, and an operator repairs it with its own tools.
    watchDamage() {},
    async close() {
      await cluster?.stop();
      await db.destroy();
    },
  };
}

async function measureSize(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`select pg_database_size(current_database()) as bytes`.execute(
    db,
  );
  return Number(rows[0]?.bytes ?? 0);
}

/**
 * Measures the nodes of a cluster. A node that does not respond counts with the size that it had before. Only the first call
 * waits, because a node may hang: each later one returns what the call before it has measured.
 */
function measureNodes(db: Kysely<Schema>): () => Promise<number> {
  const sizes = new Map<number, number>();
  const measure = async () => {
    const { rows } = await sql<{ nodeid: number; bytes: string }>`
      select nodeid, result as bytes
      from run_command_on_all_nodes('select pg_database_size(current_database())') where success
    `.execute(db);
    for (const { nodeid, bytes } of rows) sizes.set(nodeid, Number(bytes));
  };
  let measuring: Promise<void> | null = null;
  return async () => {
    measuring ??= measure().finally(() => {
      measuring = null;
    });
    if (sizes.size === 0) await measuring;
    else measuring.catch(() => {});
    return [...sizes.values()].reduce((sum, size) => sum + size, 0);
  };
}

/** For statements that take as long as the database is large. A role may have a timeout. */
const NO_TIMEOUT = { statement_timeout: 0 };

/** Removes what deleted rows have left. Citus only does so on the workers if the tables are named. */
async function vacuum(db: Kysely<Schema>, location: string, isSharded: boolean): Promise<void> {
  const distributed = tableNames.filter(isDistributed);
  try {
    await sql`vacuum`.execute(db);
    if (isSharded) await sql`vacuum ${sql.join(distributed.map((name) => sql.table(name)))}`.execute(db);
  } catch (cause) {
    if (getErrorCode(cause) !== QUERY_CANCELED) throw cause;
    throw new ServiceError("unusable", {
      message: `The statement_timeout of the role ended the VACUUM of the database ${location}`,
      hint: "Run the command again with the URL of the Postgres server, not of a connection pooler.",
      cause,
    });
  }
}

/** The code of a statement that reached its timeout. */
const QUERY_CANCELED = "57014";
