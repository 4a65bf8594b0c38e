/**
 * Runs the queries of a SQLite connection. SQLite does not wait for a server, so a query of a transaction or of a free
 * connection runs at once, without the promises by which Kysely waits for a connection.
 */
import {
  type CompiledQuery,
  type ConnectionProvider,
  DefaultConnectionProvider,
  DefaultQueryExecutor,
  Kysely,
  type QueryResult,
  type SqliteDialect,
  Transaction,
} from "kysely";
import type { Db, Schema } from "./schema.ts";
import { SqliteDriver, type TransactionalDatabase, whenUnlocked } from "./sqlite-connection.ts";

/** A connection: queries, each on its own, and transactions, one after the other. */
export interface SqliteAccess {
  readonly db: Kysely<Schema>;
  transact<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Calls the listener with every error that shows a damaged file. */
  watchDamage(listener: (error: unknown) => void): void;
}

/** Runs a query without waiting; null if it has to wait for the connection. */
type RunNow = <Row>(query: CompiledQuery) => QueryResult<Row> | null;

export class SqliteExecutor extends DefaultQueryExecutor {
  readonly #runNow: RunNow;

  constructor(runNow: RunNow, ...parts: ConstructorParameters<typeof DefaultQueryExecutor>) {
    super(...parts);
    this.#runNow = runNow;
  }

  override async executeQuery<Row>(query: CompiledQuery<unknown>): Promise<QueryResult<Row>> {
    const result = whenUnlocked(() => this.#runNow<Row>(query));
    return (
      (result instanceof Promise ? await result : result) ??
      (await super.executeQuery<Row>(query as CompiledQuery<Row>))
    );
  }
}

/** Opens access to a connection, with the compiler and adapter of a dialect. */
export function accessConnection(database: TransactionalDatabase, dialect: SqliteDialect): SqliteAccess {
  const driver = new SqliteDriver(database);
  const [compiler, adapter] = [dialect.createQueryCompiler(), dialect.createAdapter()];
  const runIfFree: RunNow = (query) => (driver.isHeld ? null : driver.run(query));
  const executor = new SqliteExecutor(runIfFree, compiler, adapter, new DefaultConnectionProvider(driver));
  const props = { config: { dialect }, dialect, driver, executor };
  /** The database of one transaction, which refuses queries after its end. */
  const createTransaction = (state: { isOpen: boolean }): Db => {
    const requireOpen = () => {
      if (!state.isOpen) throw new Error("A query was sent after the end of its transaction");
    };
    const run: RunNow = (query) => {
      requireOpen();
      return driver.run(query);
    };
    // A stream does not keep others from the connection: it may never be closed.
    const provider: ConnectionProvider = {
      async provideConnection(use) {
        requireOpen();
        return await use(driver);
      },
    };
    return new Transaction({ ...props, executor: new SqliteExecutor(run, compiler, adapter, provider) });
  };
  return {
    db: new Kysely(props),
    watchDamage(listener) {
      driver.onDamage = listener;
    },
    async transact(work) {
      await driver.acquireConnection();
      const state = { isOpen: true };
      try {
        await driver.beginTransaction();
        try {
          const result = await work(createTransaction(state));
          driver.command("commit");
          return result;
        } catch (error) {
          rollBack(driver);
          throw error;
        }
      } finally {
        state.isOpen = false;
        await driver.releaseConnection();
      }
    },
  };
}

/** Rolls back after an error. If that fails too, for example on a closed connection, the first error is the one to report. */
function rollBack(driver: SqliteDriver): void {
  try {
    driver.command("rollback");
  } catch {
    // If the transaction is still open, the next one cannot begin, which is an error of its own.
  }
}
