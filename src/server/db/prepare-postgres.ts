/** Prepares a Postgres database for use: checks its connections, and updates its schema. */
import { Kysely } from "kysely";
import { backoffPolicy, retry } from "../../shared/retry.ts";
import { sleep } from "../../shared/sleep.ts";
import { distributeTables, hasCitus, requireCoordinator } from "./cluster.ts";
import { explainPoolerError, hasTimeouts, requireSettings, requireWritable } from "./connection-check.ts";
import { getErrorCode, MIGRATION_CONFLICT_CODES } from "./errors.ts";
import { migrate } from "./migrate.ts";
import type { Migrations } from "./migrations/index.ts";
import { buildTimeoutSettings, type ConnectionSettings, openPool, postgresDialect } from "./postgres.ts";
import type { Db, Schema } from "./schema.ts";
import type { Durability } from "./sqlite.ts";
import type { Upgrade } from "./upgrade-copy.ts";

export interface PostgresOptions {
  readonly address: string;
  /** The URL without its password. */
  readonly location: string;
  readonly durability: Durability;
  /** Maximum duration of a statement, ms (default: no limit). Migrations have no limit. */
  readonly statementTimeoutMs?: number | undefined;
  /** Default: enough for many requests at once. */
  readonly maxConnections?: number | undefined;
  readonly mustExist: boolean;
  /** Whether a read-only database can be opened, whose schema is then not updated. */
  readonly allowsReadOnly: boolean;
  /** The migrations of this version (default: all). */
  readonly migrations?: Migrations | undefined;
  onRetry(): void;
  onUpgrade(upgrade: Upgrade): Promise<void>;
}

/**
 * A transaction uses one connection to each worker: opening more takes longer than the lists that would use them, and what
 * it reads on a worker is then one snapshot.
 */
export const CITUS_SETTINGS = { "citus.max_adaptive_executor_pool_size": 1 };

/** In one transaction, Citus can change the shards of several tables only one after another. */
const CITUS_MIGRATION_SETTINGS = { "citus.multi_shard_modify_mode": "sequential" };

interface PreparedDatabase {
  /** Whether the tables are distributed over several nodes. */
  readonly usesCitus: boolean;
  /** Whether the database or the role has timeouts that this process must lift. */
  readonly liftsTimeouts: boolean;
}

/** Checks the connections before anything changes, then updates the schema. */
export async function prepareDatabase(
  options: PostgresOptions,
  settings: ConnectionSettings,
): Promise<PreparedDatabase> {
  const { location, statementTimeoutMs } = options;
  const required =
    statementTimeoutMs === undefined
      ? settings
      : { ...settings, ...buildTimeoutSettings(statementTimeoutMs) };
  // A transaction, because some modes of poolers do not allow any.
  const check = async (db: Db) => {
    if (!options.allowsReadOnly) await requireWritable(db, location);
    await requireSettings(db, location, required);
    const liftsTimeouts = statementTimeoutMs === undefined && (await hasTimeouts(db));
    return { usesCitus: await hasCitus(db), liftsTimeouts };
  };
  const prepared = await useDatabase(options, required, (db) => db.transaction().execute(check));
  await runMigrations(options, settings, prepared.usesCitus);
  return prepared;
}

/** Updates the schema over separate connections without a statement timeout, because migrations can take long. */
async function runMigrations(
  options: PostgresOptions,
  settings: ConnectionSettings,
  usesCitus: boolean,
): Promise<void> {
  const { location, mustExist, migrations, onRetry, onUpgrade } = options;
  const required = usesCitus ? { ...settings, ...CITUS_MIGRATION_SETTINGS, ...CITUS_SETTINGS } : settings;
  await useDatabase(options, required, async (db) => {
    if (usesCitus) {
      await requireSettings(db, location, required);
      await requireCoordinator(db, location);
    }
    await retryOnCodes(MIGRATION_CONFLICT_CODES, onRetry, async () => {
      const beforeUpgrade = async () => {
        if (options.allowsReadOnly) await requireWritable(db, location);
        await onUpgrade({ location, copy: null });
      };
      await migrate(db, location, { mustExist, migrations, beforeUpgrade });
      if (usesCitus) await distributeTables(db);
    });
  });
}

export async function useDatabase<T>(
  { address, location }: Pick<PostgresOptions, "address" | "location">,
  settings: ConnectionSettings,
  use: (db: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  const db = new Kysely<Schema>({ dialect: postgresDialect(openPool(address, { settings })) });
  try {
    return await use(db);
  } catch (cause) {
    throw explainPoolerError(cause, location) ?? cause;
  } finally {
    await db.destroy();
  }
}

const MAX_ATTEMPTS = 10;

/** Retries `run`, with backoff, if it fails with one of the codes. */
export async function retryOnCodes<T>(
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
