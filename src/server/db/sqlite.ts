/** The Kysely dialect for SQLite. It uses `node:sqlite` where Node has it, and otherwise a package with the same API. */
import { dirname, isAbsolute } from "node:path";
import {
  type SelectQueryNode,
  SqliteAdapter,
  SqliteDialect,
  SqliteQueryCompiler,
  type SqliteStatement,
} from "kysely";
import { ServiceError } from "../core/errors.ts";
import type { TransactionalDatabase } from "./sqlite-connection.ts";
import { accessConnection, type SqliteAccess } from "./sqlite-executor.ts";

/** What a commit survives: FULL survives a power loss, NORMAL a crash of the process, and OFF does not matter. */
export type Durability = "FULL" | "NORMAL" | "OFF";

type SqliteDriver = typeof import("@photostructure/sqlite");
export type SqliteConnection = InstanceType<SqliteDriver["DatabaseSync"]>;
type Statement = ReturnType<SqliteConnection["prepare"]>;

const DRIVER_PACKAGE = "@photostructure/sqlite";

/** Loads the driver. Throws `unusable` if none is available. */
export async function loadDriver(): Promise<{ readonly name: string; readonly driver: SqliteDriver }> {
  try {
    const driver = (await import("node:sqlite" as string)) as SqliteDriver;
    // Node.js before 22.16 cannot copy a database while others write to it.
    if ("backup" in driver) return { name: "node:sqlite", driver };
  } catch {}
  try {
    return { name: DRIVER_PACKAGE, driver: await import("@photostructure/sqlite") };
  } catch (cause) {
    throw driverError(cause as NodeJS.ErrnoException);
  }
}

/** The error for a driver that cannot be loaded. Some systems run no code from folders that users can write. */
export function driverError(cause: NodeJS.ErrnoException): ServiceError {
  const newer = "Node.js 22.16 or later, which has a driver. Only the `server` and `admin` commands need one";
  // The message of the cause begins with the file.
  const [file = ""] = cause.message.split(": ");
  const isRefused = cause.code === "ERR_DLOPEN_FAILED" && isAbsolute(file);
  return new ServiceError("unusable", {
    message: `The database driver ${DRIVER_PACKAGE} cannot be loaded: ${cause.message}`,
    hint: isRefused
      ? `If ${dirname(file)} is mounted with noexec, set XDG_CACHE_HOME to a folder that is not, or use ${newer}.`
      : `Use ${newer}.`,
    cause,
  });
}

/** Opens a connection. Throws if the file is not a database or cannot be written. */
export async function openConnection(
  file: string,
  options: { durability: Durability; readOnly?: boolean },
): Promise<SqliteConnection> {
  const { DatabaseSync } = (await loadDriver()).driver;
  const database = new DatabaseSync(file, { readOnly: options.readOnly ?? false });
  database.exec("PRAGMA busy_timeout = 5000");
  if (!options.readOnly) {
    // Allows a new file to return free pages in steps. Only has an effect before anything is written to the file.
    database.exec("PRAGMA auto_vacuum = INCREMENTAL");
    database.exec("PRAGMA journal_mode = WAL");
    database.exec(`PRAGMA synchronous = ${options.durability}`);
    // Fail now, not during the first request, if the file is read-only. Beginning a transaction alone does not show it.
    database.exec("BEGIN IMMEDIATE; PRAGMA user_version = 0; ROLLBACK");
  }
  database.exec("PRAGMA temp_store = MEMORY");
  return database;
}

/** Maximum number of prepared statements that a connection caches. */
const MAX_STATEMENTS = 500;

/**
 * Creates the Kysely dialect for a connection, with a cache of prepared statements. With `begin immediate`, a transaction
 * takes the write lock when it begins, so that it cannot fail halfway because another process has the lock.
 */
export function sqliteDialect(connection: SqliteConnection, begin: Begin): SqliteDialect {
  return new CustomSqliteDialect({ database: cacheStatements(connection, begin) });
}

/** Opens access to a connection with that dialect. */
export function accessSqlite(connection: SqliteConnection, begin: Begin): SqliteAccess {
  const database = cacheStatements(connection, begin);
  return accessConnection(database, new CustomSqliteDialect({ database }));
}

type Begin = "begin" | "begin immediate";

function cacheStatements(connection: SqliteConnection, begin: Begin): TransactionalDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    get isTransaction() {
      return connection.isTransaction;
    },
    prepare(text) {
      const cached = statements.get(text);
      if (cached) return cached;
      const prepared = wrapStatement(connection.prepare(text === "begin" ? begin : text));
      const statement =
        text === "rollback" ? ignoreMissingTransaction(prepared) : withOwnRows(statements, text, prepared);
      if (statements.size >= MAX_STATEMENTS) statements.clear();
      statements.set(text, statement);
      return statement;
    },
    close() {
      statements.clear();
      connection.close();
    },
  };
}

/** A statement that is not in the cache while its rows are read one by one, because running it again would end that. */
function withOwnRows(
  statements: Map<string, SqliteStatement>,
  text: string,
  statement: SqliteStatement,
): SqliteStatement {
  const own: SqliteStatement = {
    ...statement,
    *iterate(values) {
      statements.delete(text);
      yield* statement.iterate(values);
      // Only a statement whose rows were read to their end can run again for sure.
      if (!statements.has(text)) statements.set(text, own);
    },
  };
  return own;
}

class CustomSqliteDialect extends SqliteDialect {
  /**
   * Kysely assumes that SQLite cannot create tables in a transaction, but it can. With it, a crash during a migration
   * leaves no partial schema, and servers that start at once take turns.
   */
  override createAdapter(): SqliteAdapter {
    return Object.defineProperty(new SqliteAdapter(), "supportsTransactionalDdl", { value: true });
  }

  override createQueryCompiler(): SqliteQueryCompiler {
    return new CustomSqliteCompiler();
  }
}

class CustomSqliteCompiler extends SqliteQueryCompiler {
  /** Removes row locks (`for update`), which SQLite does not have: a write transaction locks the whole database. */
  protected override visitSelectQuery(node: SelectQueryNode): void {
    const { endModifiers: _locks, ...rest } = node;
    super.visitSelectQuery(rest);
  }
}

type BindValues = Parameters<Statement["all"]>;

function wrapStatement(statement: Statement): SqliteStatement {
  const toObject = createRowReader(statement);
  return {
    reader: statement.columns().length > 0,
    all: (values) => statement.all(...toBindValues(values)).map(toObject),
    run(values) {
      const { changes, lastInsertRowid } = statement.run(...toBindValues(values));
      return { changes, lastInsertRowid };
    },
    *iterate(values) {
      for (const row of statement.iterate(...toBindValues(values))) yield toObject(row);
    },
  };
}

/**
 * Returns a function that makes an object of a row. Drivers that can return rows as arrays do so, because building the
 * objects here takes a third less time than in the driver.
 */
function createRowReader(statement: Statement): (row: unknown) => unknown {
  if (!("setReturnArrays" in statement)) return (row) => row;
  statement.setReturnArrays(true);
  let names: readonly string[] = [];
  return (row) => {
    const values = row as readonly unknown[];
    // If another process adds a column, `select *` returns it from then on.
    if (values.length !== names.length) names = listColumns(statement);
    return toObject(names, values);
  };
}

const listColumns = (statement: Statement) => statement.columns().map(({ name }) => name);

function toObject(names: readonly string[], row: readonly unknown[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (let at = 0; at < row.length; at += 1) object[names[at] ?? ""] = row[at];
  return object;
}

/** The packaged driver rounds numbers that are this close to an integer, and not always to the nearest one. */
const WHOLE_NUMBER_TOLERANCE = 2 ** -51;

/** The values to bind. Near-integers are bound as text, which a column of doubles converts back without loss. */
function toBindValues(values: readonly unknown[]): BindValues {
  return values.map((value) =>
    typeof value === "number" &&
    !Number.isInteger(value) &&
    Math.abs(value - Math.round(value)) < WHOLE_NUMBER_TOLERANCE
      ? String(value)
      : value,
  ) as BindValues;
}

/** SQLite rolls back on its own when the disk is full. A second rollback must not hide the original error. */
function ignoreMissingTransaction(rollback: SqliteStatement): SqliteStatement {
  return {
    ...rollback,
    run(values) {
      try {
        return rollback.run(values);
      } catch (error) {
        if (/no transaction is active/.test((error as Error).message))
          return { changes: 0, lastInsertRowid: 0 };
        throw error;
      }
    },
  };
}
