/** Postgres under Kysely: what differs from SQLite is told here, so that migrations and queries are the same. */
import type { Socket } from "node:net";
import {
  type DataTypeNode,
  type FunctionNode,
  PostgresAdapter,
  PostgresDialect,
  PostgresQueryCompiler,
} from "kysely";
import pg from "pg";
import Cursor from "pg-cursor";
import { RESPONSE_TIMEOUT_CODE } from "./error-codes.ts";

const { int8, numeric } = { int8: 20, numeric: 1700 };

/** Whole numbers and sums are numbers: what is stored is safe integers, and sums beyond them are taken in doubles. */
const types = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === int8 || oid === numeric
      ? Number
      : pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser,
};

/** How the connections of a pool behave. */
export interface PoolOptions {
  /** Settings of each connection, by name. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** How long a statement may take, ms; endless where it is not given. */
  readonly statementTimeoutMs?: number | undefined;
}

/** Connections to a database, shared by all that a process does. */
export function openPool(
  address: string,
  { settings, statementTimeoutMs: answerWithin }: PoolOptions = {},
): pg.Pool {
  const all = { ...settings, ...(answerWithin === undefined ? {} : buildTimeoutSettings(answerWithin)) };
  const pool = new pg.Pool({
    connectionString: address,
    types,
    options: Object.entries(all)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: Math.min(CONNECT_TIMEOUT_MS, answerWithin ?? CONNECT_TIMEOUT_MS),
    application_name: "playtest",
    keepAlive: true,
  });
  // A connection that breaks leaves the pool, and who uses it is told by what it asked: as an event it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
    if (answerWithin !== undefined) enforceResponseTimeout(client, answerWithin * RESPONSE_TIMEOUT_FACTOR);
  });
  return pool;
}

const MAX_CONNECTIONS = 10;
/** How long a connection is waited for at most, ms. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Whose answer is longer in coming than the server would let a statement run is not heard any more. */
const RESPONSE_TIMEOUT_FACTOR = 1.25;
/** A transaction whose process hangs keeps its locks so many times as long as a statement may take. */
const IDLE_TIMEOUT_FACTOR = 2;

/** What Postgres itself ends: statements that take long, and transactions that nobody goes on with. */
function buildTimeoutSettings(answerWithin: number) {
  return {
    statement_timeout: answerWithin,
    idle_in_transaction_session_timeout: answerWithin * IDLE_TIMEOUT_FACTOR,
  };
}

/** Ends a connection that owes an answer and has been silent for so many ms: the way to the server is cut, or it hangs. */
function enforceResponseTimeout(client: pg.PoolClient, ms: number): void {
  const stream = Reflect.get(client, "connection").stream as Socket;
  let answered = stream.bytesWritten;
  // Everything that was asked until now has its answer.
  client.on("drain", () => {
    answered = stream.bytesWritten;
  });
  stream.setTimeout(ms, () => {
    if (stream.bytesWritten === answered) return;
    stream.destroy(
      Object.assign(new Error(`The database was silent for ${ms} ms`), { code: RESPONSE_TIMEOUT_CODE }),
    );
  });
}

/** Kysely's dialect over a pool. */
export function postgresDialect(pool: pg.Pool): PostgresDialect {
  return new CustomPostgresDialect({ pool, cursor: Cursor });
}

class CustomPostgresDialect extends PostgresDialect {
  override createQueryCompiler(): PostgresQueryCompiler {
    return new CustomPostgresCompiler();
  }

  override createAdapter(): PostgresAdapter {
    return new LocklessPostgresAdapter();
  }
}

/** Types by what they hold: text in the order of its bytes, whole numbers as wide as SQLite's. */
const dataTypes: Readonly<Record<string, string>> = {
  text: 'text collate "C"',
  integer: "bigint",
  blob: "bytea",
};

class CustomPostgresCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    this.append(dataTypes[node.dataType] ?? node.dataType);
  }

  protected override visitFunction(node: FunctionNode): void {
    super.visitFunction(node.func === "instr" ? { ...node, func: "strpos" } : node);
  }
}

/**
 * Migrations without the advisory lock that engines like Postgres do not have. Of servers that start at once one
 * migrates: the others' transaction fails at what is there by then, and is begun anew by who called.
 */
class LocklessPostgresAdapter extends PostgresAdapter {
  override async acquireMigrationLock() {}

  override async releaseMigrationLock() {}
}
