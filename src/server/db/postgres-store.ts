/** A database on a Postgres server: many connections, and other servers that write at the same time. */
import { type IsolationLevel, Kysely, sql } from "kysely";
import { backoffPolicy, retry } from "../../shared/retry.ts";
import { sleep } from "../../shared/sleep.ts";
import { CitusCluster } from "./cluster.ts";
import { withCounters } from "./counters.ts";
import { distributeTables, hasCitus, requireCoordinator } from "./distribute.ts";
import {
  CONNECTION_LOST_CODES,
  getErrorCode,
  MIGRATION_CONFLICT_CODES,
  REPEATED_WRITE_CODES,
  WRITE_CONFLICT_CODES,
} from "./error-codes.ts";
import { migrate } from "./migrate.ts";
import { placeTable } from "./placement.ts";
import { openPool, postgresDialect } from "./postgres.ts";
import { createTransact } from "./postgres-transaction.ts";
import type { Db, Schema } from "./schema.ts";
import type { Durability } from "./sqlite.ts";
import type { Store } from "./store.ts";
import { tableNames } from "./tables.ts";
import type { Upgrade } from "./upgrade-copy.ts";

interface PostgresOptions {
  readonly address: string;
  /** The URL without its password. */
  readonly location: string;
  readonly durability: Durability;
  /** Maximum duration of a statement, ms (default: no limit). Migrations have no limit. */
  readonly statementTimeoutMs?: number | undefined;
  readonly mustExist: boolean;
  onRetry(): void;
  onUpgrade(upgrade: Upgrade): Promise<void>;
}

/** Opens a database and updates its schema. */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const { address, location, durability, statementTimeoutMs, onRetry } = options;
  const settings = { synchronous_commit: durability === "FULL" ? "on" : "off" };
  const cluster = (await runMigrations(options, settings)) ? new CitusCluster() : null;
  const pool = openPool(address, {
    settings: cluster ? { ...settings, ...CITUS_SETTINGS } : settings,
    statementTimeoutMs,
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
  const transact = <T>(level: IsolationLevel, codes: ReadonlySet<string>, work: (db: Db) => Promise<T>) =>
    attempt(codes, () => runTransaction(level, (transaction) => withCounters(transaction, work)));
  const snapshot = db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only");
  return {
    engine: "postgres",
    readDb: db,
    writeDb: db,
    location,
    read: (work) => attempt(CONNECTION_LOST_CODES, () => snapshot.execute(work)),
    write: (work) => transact("read committed", REPEATED_WRITE_CODES, work),
    serializable: (work) => transact("serializable", WRITE_CONFLICT_CODES, work),
    isComplete: () => (cluster?.reachableGames ?? null) === null,
    pool,
    shrink: async () => false,
    enableShrinking: async () => false,
    purgeDeleted: async () => {
      await db.connection().execute((connection) => vacuum(connection, cluster !== null));
      return true;
    },
    async close() {
      await cluster?.stop();
      await db.destroy();
    },
  };
}

/** Removes what deleted rows have left. Citus only does so on the workers if the tables are named. */
async function vacuum(db: Kysely<Schema>, isSharded: boolean): Promise<void> {
  await sql`set statement_timeout = 0`.execute(db);
  await sql`vacuum`.execute(db);
  const distributed = tableNames.filter((name) => placeTable(name) !== "coordinator");
  if (isSharded) await sql`vacuum ${sql.join(distributed.map((name) => sql.table(name)))}`.execute(db);
  await sql`reset statement_timeout`.execute(db);
}

/**
 * A transaction uses one connection to each worker: opening more takes longer than the lists that would use them, and what
 * it reads on a worker is then one snapshot.
 */
const CITUS_SETTINGS = { "citus.max_adaptive_executor_pool_size": 1 };

/** In one transaction, Citus can change the shards of several tables only one after another. */
const CITUS_MIGRATION_SETTINGS = { "citus.multi_shard_modify_mode": "sequential" };

type Settings = Readonly<Record<string, string>>;

/**
 * Updates the schema over separate connections without a statement timeout, because migrations can take long. Returns whether
 * the tables are distributed over several nodes.
 */
async function runMigrations(options: PostgresOptions, settings: Settings): Promise<boolean> {
  const { location, mustExist, onRetry, onUpgrade } = options;
  const usesCitus = await useDatabase(options, settings, hasCitus);
  return await useDatabase(
    options,
    usesCitus ? { ...settings, ...CITUS_MIGRATION_SETTINGS } : settings,
    (db) =>
      retryOnCodes(MIGRATION_CONFLICT_CODES, onRetry, async () => {
        const beforeUpgrade = () => onUpgrade({ location, copy: null });
        if (usesCitus) await requireCoordinator(db, location);
        await migrate(db, location, { mustExist, beforeUpgrade });
        if (usesCitus) await distributeTables(db);
        return usesCitus;
      }),
  );
}

async function useDatabase<T>(
  { address }: PostgresOptions,
  settings: Settings,
  use: (db: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  const db = new Kysely<Schema>({ dialect: postgresDialect(openPool(address, { settings })) });
  try {
    return await use(db);
  } finally {
    await db.destroy();
  }
}

const MAX_ATTEMPTS = 10;

/** Retries `run`, with backoff, if it fails with one of the codes. */
async function retryOnCodes<T>(
  codes: ReadonlySet<string>,
  onRetry: () => void,
  run: () => Promise<T>,
): Promise<T> {
  const policy = backoffPolicy({
    maxAttempts: MAX_ATTEMPTS,
    firstMs: 10,
    maxMs: 500,
    isTransient: (error) => codes.has(getErrorCode(error)),
    jitter: (ms) => Math.random() * ms,
  });
  return await retry(run, policy, { sleep, onWait: onRetry });
}
