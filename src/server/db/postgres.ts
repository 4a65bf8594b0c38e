/** The Kysely dialect for Postgres. It hides the differences from SQLite, so that both share migrations and queries. */
import type { Socket } from "node:net";
import {
  type DataTypeNode,
  type FunctionNode,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresQueryCompiler,
} from "kysely";
import pg from "pg";
import Cursor from "pg-cursor";
import { RESPONSE_TIMEOUT_CODE } from "./errors.ts";
import type { Cluster, ClusterAdapter } from "./sharding.ts";
import { postgresTypes } from "./tables/define.ts";

const { int8, numeric } = { int8: 20, numeric: 1700 };

/** Parses integers and sums as numbers: stored values are safe integers, and larger sums are computed as doubles. */
const types = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === int8 || oid === numeric
      ? Number
      : pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser,
};

/** Postgres settings of connections, by name. */
export type ConnectionSettings = Readonly<Record<string, string | number>>;

interface PoolOptions {
  readonly settings?: ConnectionSettings;
  /** Maximum duration of a statement, ms (default: no limit). */
  readonly statementTimeoutMs?: number | undefined;
  /** Default: 10. */
  readonly maxConnections?: number | undefined;
}

/** Opens the connection pool that a process shares. */
export function openPool(
  address: string,
  { settings, statementTimeoutMs, maxConnections = MAX_CONNECTIONS }: PoolOptions = {},
): pg.Pool {
  const timeouts = statementTimeoutMs === undefined ? {} : buildTimeoutSettings(statementTimeoutMs);
  const pool = new pg.Pool({
    connectionString: address,
    types,
    options: Object.entries({ ...settings, ...timeouts })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    max: maxConnections,
    connectionTimeoutMillis: Math.min(CONNECT_TIMEOUT_MS, statementTimeoutMs ?? CONNECT_TIMEOUT_MS),
    application_name: "playtest",
    keepAlive: true,
  });
  // The pool drops a broken connection, and the query that used it rejects. An unhandled `error` event would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
    if (statementTimeoutMs !== undefined)
      enforceResponseTimeout(client, statementTimeoutMs * RESPONSE_TIMEOUT_FACTOR);
  });
  return pool;
}

const MAX_CONNECTIONS = 10;
/** Maximum wait for a connection, ms. */
const CONNECT_TIMEOUT_MS = 10_000;
/** A connection is closed if the server does not respond within this multiple of the statement timeout. */
const RESPONSE_TIMEOUT_FACTOR = 1.25;
/** Postgres ends a transaction, and releases its locks, if it is idle for this multiple of the statement timeout. */
const IDLE_TIMEOUT_FACTOR = 2;

/** The timeouts that Postgres itself enforces. */
export function buildTimeoutSettings(statementTimeoutMs: number): ConnectionSettings {
  return {
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs * IDLE_TIMEOUT_FACTOR,
  };
}

/** Closes a connection if a query gets no response for `ms`: the network is down, or the server hangs. */
function enforceResponseTimeout(client: pg.PoolClient, ms: number): void {
  const stream = Reflect.get(client, "connection").stream as Socket;
  let answeredBytes = stream.bytesWritten;
  // `drain` means that every query so far has its response.
  client.on("drain", () => {
    answeredBytes = stream.bytesWritten;
  });
  stream.setTimeout(ms, () => {
    if (stream.bytesWritten === answeredBytes) return;
    const error = new Error(`The database did not respond within ${ms} ms`);
    stream.destroy(Object.assign(error, { code: RESPONSE_TIMEOUT_CODE }));
  });
}

/** `cluster`: the nodes of a sharded database. */
export function postgresDialect(pool: pg.Pool, cluster: Cluster | null = null): PostgresDialect {
  return new CustomPostgresDialect({ pool, cursor: Cursor }, cluster);
}

class CustomPostgresDialect extends PostgresDialect {
  readonly #cluster: Cluster | null;

  constructor(config: PostgresDialectConfig, cluster: Cluster | null) {
    super(config);
    this.#cluster = cluster;
  }

  override createQueryCompiler(): PostgresQueryCompiler {
    return new CustomPostgresCompiler();
  }

  override createAdapter(): PostgresAdapter {
    return new LocklessPostgresAdapter(this.#cluster);
  }
}

class CustomPostgresCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    this.append(postgresTypes[node.dataType] ?? node.dataType);
  }

  protected override visitFunction(node: FunctionNode): void {
    super.visitFunction(node.func === "instr" ? { ...node, func: "strpos" } : node);
  }
}

/**
 * Runs migrations without an advisory lock, which some Postgres-compatible engines lack. If several servers start at
 * once, one of them migrates. The transactions of the others fail because the tables exist, and the caller retries them.
 */
class LocklessPostgresAdapter extends PostgresAdapter implements ClusterAdapter {
  readonly cluster: Cluster | null;

  constructor(cluster: Cluster | null) {
    super();
    this.cluster = cluster;
  }

  override async acquireMigrationLock() {}

  override async releaseMigrationLock() {}
}
