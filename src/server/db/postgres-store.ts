/** A database on a Postgres server: many connections, and other servers that write at the same time. */
import { type IsolationLevel, Kysely, sql } from "kysely";
import { backoffPolicy, retry } from "../../shared/retry.ts";
import { sleep } from "../../shared/sleep.ts";
import { withCounters } from "./counters.ts";
import {
  CONNECTION_LOST_CODES,
  getErrorCode,
  MIGRATION_CONFLICT_CODES,
  SERIALIZATION_FAILURE_CODES,
  WRITE_CONFLICT_CODES,
} from "./error-codes.ts";
import { distributeTables, hasCitus, requireCoordinator } from "./distribute.ts";
import { migrate } from "./migrate.ts";
import { openPool, postgresDialect } from "./postgres.ts";
import type { Db, Schema } from "./schema.ts";
import type { Durability } from "./sqlite.ts";
import type { Store } from "./store.ts";
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
  const isSharded = await runMigrations(options, settings);
  const pool = openPool(address, { settings, statementTimeoutMs });
  const db = new Kysely<Schema>({ dialect: postgresDialect(pool, isSharded) });
  const transact = async <T>(
    level: IsolationLevel,
    retryCodes: ReadonlySet<string>,
    work: (db: Db) => Promise<T>,
  ) =>
    await retryOnCodes(retryCodes, onRetry, () =>
      db
        .transaction()
        .setIsolationLevel(level)
        .execute((transaction) => withCounters(transaction, work)),
    );
  return {
    engine: "postgres",
    readDb: db,
    writeDb: db,
    location,
    read: (work) =>
      retryOnCodes(CONNECTION_LOST_CODES, onRetry, () =>
        db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(work),
      ),
    write: (work) => transact("read committed", SERIALIZATION_FAILURE_CODES, work),
    serializable: (work) => transact("serializable", WRITE_CONFLICT_CODES, work),
    pool,
    shrink: async () => false,
    enableShrinking: async () => false,
    purgeDeleted: async () => {
      await db.connection().execute(async (connection) => {
        await sql`set statement_timeout = 0`.execute(connection);
        await sql`vacuum`.execute(connection);
        await sql`reset statement_timeout`.execute(connection);
      });
      return true;
    },
    close: () => db.destroy(),
  };
}

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
  return await useDatabase(options, usesCitus ? { ...settings, ...CITUS_MIGRATION_SETTINGS } : settings, (db) =>
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
