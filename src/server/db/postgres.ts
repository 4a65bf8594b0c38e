/** Postgres under Kysely: what differs from SQLite is told here, so that migrations and queries are the same. */
import {
  type DataTypeNode,
  type FunctionNode,
  PostgresAdapter,
  PostgresDialect,
  PostgresQueryCompiler,
} from "kysely";
import pg from "pg";
import Cursor from "pg-cursor";

const { int8, numeric } = { int8: 20, numeric: 1700 };

/** Whole numbers and sums are numbers: what is stored is safe integers, and sums beyond them are taken in doubles. */
const types = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === int8 || oid === numeric
      ? Number
      : pg.types.getTypeParser(oid, format as "text")) as typeof pg.types.getTypeParser,
};

/** Connections to a database, shared by all that a process does. `options` are settings of each, such as `-c name=value`. */
export function openPool(address: string, options: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: address,
    types,
    options,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: "playtest",
    keepAlive: true,
  });
  // A connection that breaks leaves the pool, and who uses it is told by what it asked: as an event it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  return pool;
}

const MOST_CONNECTIONS = 10;
/** How long a connection is waited for, ms. */
const CONNECT_MS = 10_000;

/** Kysely's dialect over a pool. */
export function postgresDialect(pool: pg.Pool): PostgresDialect {
  return new OwnDialect({ pool, cursor: Cursor });
}

class OwnDialect extends PostgresDialect {
  override createQueryCompiler(): PostgresQueryCompiler {
    return new OwnCompiler();
  }

  override createAdapter(): PostgresAdapter {
    return new UnlockedMigrations();
  }
}

/** Types by what they hold: text in the order of its bytes, whole numbers as wide as SQLite's. */
const dataTypes: Readonly<Record<string, string>> = {
  text: 'text collate "C"',
  integer: "bigint",
  blob: "bytea",
};

class OwnCompiler extends PostgresQueryCompiler {
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
class UnlockedMigrations extends PostgresAdapter {
  override async acquireMigrationLock() {}

  override async releaseMigrationLock() {}
}
