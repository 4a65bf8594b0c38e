/**
 * Write transactions on Postgres. Their statements are pipelined: each is sent at once, also while earlier ones have no
 * response yet. Postgres runs them one after another, in the order in which they were sent.
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type IsolationLevel,
  type Kysely,
  type QueryResult,
  SelectQueryNode,
  Transaction,
} from "kysely";
import type pg from "pg";
import { getErrorCode, LOST_STATEMENT_CODES } from "./errors.ts";
import { type Pipeline, setPipeline, waitForAll } from "./pipeline.ts";
import { getStatementName, stopNamingStatements } from "./prepared.ts";
import type { Db, Schema } from "./schema.ts";

type Transact = <T>(level: IsolationLevel, work: (db: Db) => Promise<T>) => Promise<T>;

/** Creates a function that runs write transactions on the connections of a pool. `db` uses the same pool. */
export function createTransact(pool: pg.Pool, db: Kysely<Schema>, dialect: Dialect): Transact {
  const props = { config: { dialect }, dialect, driver: dialect.createDriver() };
  return async (level, work) => {
    const client = await pool.connect();
    setPipelining(client, true);
    const connection = new PipelinedConnection(client, level);
    const executor = db.getExecutor().withConnectionProvider({
      provideConnection: (use) => use(connection),
    });
    try {
      const transaction = new Transaction<Schema>({ ...props, executor });
      setPipeline(transaction, connection);
      const result = await work(transaction);
      await connection.commit();
      return result;
    } catch (error) {
      // After an error, the first one is the one to report.
      await connection.rollBack().catch(() => {});
      throw error;
    } finally {
      setPipelining(client, false);
      // A connection whose transaction may still be open is closed.
      client.release(!connection.hasEnded);
    }
  };
}

/** Rethrows an error. If a pooler has lost a prepared statement, the transaction fails, but works without names when it is repeated. */
function stopNamingIfLost(error: unknown): never {
  if (LOST_STATEMENT_CODES.has(getErrorCode(error))) stopNamingStatements();
  throw error;
}

/** The driver reads this property for each query. Queries outside of write transactions may use cursors, which need it off. */
function setPipelining(client: pg.PoolClient, isOn: boolean): void {
  Reflect.set(client, "pipeline", isOn);
}

/** The connection of one transaction. It refuses queries after the end of the transaction. */
class PipelinedConnection implements DatabaseConnection, Pipeline {
  readonly #client: pg.PoolClient;
  readonly #begin: Promise<unknown>;
  #hasBegun = false;
  #isOpen = true;
  #expected: Promise<unknown>[] = [];
  hasEnded = false;

  constructor(client: pg.PoolClient, level: IsolationLevel) {
    this.#client = client;
    this.#begin = client.query(`start transaction isolation level ${level}`).then(() => {
      this.#hasBegun = true;
    });
    // Whoever runs a query or ends the transaction gets the error.
    this.#begin.catch(() => {});
  }

  async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
    if (!this.#isOpen) throw new Error("A query was sent after the end of its transaction");
    // Reads may follow the start of the transaction in the pipeline. If it failed, a write would be stored on its own.
    if (!this.#hasBegun && !SelectQueryNode.is(query)) await this.#begin;
    const name = getStatementName(sql);
    const values = [...parameters];
    const named = name === undefined ? { text: sql, values } : { name, text: sql, values };
    const result = await this.#client.query(named).catch(stopNamingIfLost);
    const { command, rowCount, rows } = result;
    const changes = /^(?:insert|update|delete|merge)$/i.test(command);
    return { rows: (rows ?? []) as Row[], ...(changes ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
  }

  // biome-ignore lint/correctness/useYield: streams need a cursor.
  async *streamQuery<Row>(): AsyncGenerator<QueryResult<Row>> {
    throw new Error("A write transaction cannot stream rows");
  }

  expect(results: readonly Promise<unknown>[]): void {
    this.#expected.push(...results);
  }

  /** Commits. Throws if a statement has failed, because Postgres then rolls back instead. */
  async commit(): Promise<void> {
    const ended = this.#end("commit");
    await waitForAll([...this.#expected, ended]);
    if ((await ended) !== "COMMIT")
      throw new Error("The transaction was rolled back, because a statement failed");
  }

  /** Rolls back, unless the transaction has ended. */
  async rollBack(): Promise<void> {
    await Promise.allSettled(this.#expected);
    if (!this.hasEnded) await this.#end("rollback");
  }

  async #end(how: "commit" | "rollback"): Promise<string> {
    if (!this.#hasBegun) await this.#begin;
    this.#isOpen = false;
    const { command } = await this.#client.query(how);
    this.hasEnded = true;
    return command;
  }
}
