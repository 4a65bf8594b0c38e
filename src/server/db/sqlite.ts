/** SQLite under Kysely: the `node:sqlite` API, built in on newer Node and from a package with the same API elsewhere. */
import {
  type SelectQueryNode,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteQueryCompiler,
  type SqliteStatement,
} from "kysely";
import { ServiceError } from "../core/errors.ts";

/** How a commit reaches the disk: FULL survives power loss, NORMAL the death of the process. */
export type Durability = "FULL" | "NORMAL";

type SqliteDriver = typeof import("@photostructure/sqlite");
type SqliteConnection = InstanceType<SqliteDriver["DatabaseSync"]>;
type Statement = ReturnType<SqliteConnection["prepare"]>;

const DRIVER_PACKAGE = "@photostructure/sqlite";

/** The driver and its name. Throws `unusable` where there is none. */
export async function loadDriver(): Promise<{ readonly name: string; readonly driver: SqliteDriver }> {
  try {
    return { name: "node:sqlite", driver: (await import("node:sqlite" as string)) as SqliteDriver };
  } catch {}
  try {
    return { name: DRIVER_PACKAGE, driver: await import("@photostructure/sqlite") };
  } catch (cause) {
    throw new ServiceError("unusable", {
      message: `The database driver ${DRIVER_PACKAGE} is not installed`,
      hint: "Install playtest again without --omit=optional; only `server` and `admin` need it.",
      cause,
    });
  }
}

/** One SQLite connection. Every transaction takes the write lock at once, so that it never fails half way for want of it. */
export async function openConnection(
  file: string,
  options: { durability: Durability; readOnly?: boolean },
): Promise<SqliteConnection> {
  const { DatabaseSync } = (await loadDriver()).driver;
  const database = new DatabaseSync(file, { readOnly: options.readOnly ?? false });
  database.exec("PRAGMA busy_timeout = 5000");
  if (!options.readOnly) {
    database.exec("PRAGMA journal_mode = WAL");
    database.exec(`PRAGMA synchronous = ${options.durability}`);
    // Whether it can be written shows now, not in the middle of the first request: a transaction alone begins on either.
    database.exec("BEGIN IMMEDIATE; PRAGMA user_version = 0; ROLLBACK");
  }
  database.exec("PRAGMA temp_store = MEMORY");
  return database;
}

/** How many prepared statements a connection keeps. */
const MAX_STATEMENTS = 500;

/** Kysely's dialect over a connection, keeping its prepared statements. */
export function sqliteDialect(
  connection: SqliteConnection,
  begin: "begin" | "begin immediate",
): SqliteDialect {
  const kept = new Map<string, SqliteStatement>();
  const database: SqliteDatabase = {
    prepare(text) {
      const known = kept.get(text);
      if (known) return known;
      const own = wrapStatement(connection.prepare(text === "begin" ? begin : text));
      const statement = text === "rollback" ? ignoreMissingTransaction(own) : own;
      if (kept.size >= MAX_STATEMENTS) kept.clear();
      kept.set(text, statement);
      return statement;
    },
    close() {
      kept.clear();
      connection.close();
    },
  };
  return new CustomSqliteDialect({ database });
}

class CustomSqliteDialect extends SqliteDialect {
  /** Kysely takes SQLite for an engine whose tables cannot be made in transactions. They can: a start that dies leaves none by halves, and two that start at once take turns. */
  override createAdapter(): SqliteAdapter {
    return Object.defineProperty(new SqliteAdapter(), "supportsTransactionalDdl", { value: true });
  }

  override createQueryCompiler(): SqliteQueryCompiler {
    return new CustomSqliteCompiler();
  }
}

class CustomSqliteCompiler extends SqliteQueryCompiler {
  /** Rows are not locked one by one: a transaction that writes holds the whole database from its begin. */
  protected override visitSelectQuery(node: SelectQueryNode): void {
    const { endModifiers: _locks, ...rest } = node;
    super.visitSelectQuery(rest);
  }
}

type BindValues = Parameters<Statement["all"]>;

function wrapStatement(statement: Statement): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (values) => statement.all(...toBindValues(values)),
    run(values) {
      const { changes, lastInsertRowid } = statement.run(...toBindValues(values));
      return { changes, lastInsertRowid };
    },
    iterate: (values) => statement.iterate(...toBindValues(values)) as IterableIterator<unknown>,
  };
}

/** The packaged driver binds a number this close to a whole one as a whole one, and not always the nearest. */
const WHOLE_NUMBER_TOLERANCE = 2 ** -51;

/** The values to bind; nearly whole numbers as text, which a column of doubles turns back to the last bit. */
function toBindValues(values: readonly unknown[]): BindValues {
  return values.map((value) =>
    typeof value === "number" &&
    !Number.isInteger(value) &&
    Math.abs(value - Math.round(value)) < WHOLE_NUMBER_TOLERANCE
      ? String(value)
      : value,
  ) as BindValues;
}

/** SQLite rolls back by itself where the disk is full: that there is nothing left to roll back must not hide why. */
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
