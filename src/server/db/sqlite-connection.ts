/** One SQLite connection, which a transaction or stream holds until its end. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  type SqliteDatabase,
} from "kysely";
import { sleep } from "../../shared/sleep.ts";
import { isCorrupt, isLocked } from "./errors.ts";

/** A database that reports whether a transaction is open. */
export interface TransactionalDatabase extends SqliteDatabase {
  readonly isTransaction: boolean;
}

/** How long a write waits for another process, ms, and how often it tries. */
const MAX_WAIT_MS = 5000;
export const POLL_MS = 2;

/**
 * Runs a query or a command as soon as no other process has locked the database. SQLite itself would wait by blocking this
 * process, and everything else that it does.
 */
export function whenUnlocked<T>(run: () => T): T | Promise<T> {
  try {
    return run();
  } catch (error) {
    if (isLocked(error)) return repeat(run);
    throw error;
  }
}

async function repeat<T>(run: () => T): Promise<T> {
  for (const start = performance.now(); ; ) {
    await sleep(POLL_MS);
    try {
      return run();
    } catch (error) {
      if (!isLocked(error) || performance.now() - start > MAX_WAIT_MS) throw error;
    }
  }
}

/** A connection as Kysely's driver with a single connection. */
export class SqliteDriver implements Driver, DatabaseConnection {
  readonly #database: TransactionalDatabase;
  #isHeld = false;
  #isClosed = false;
  /** Whether a transaction was begun and neither committed nor rolled back with a command. */
  #inTransaction = false;
  /** The rows of streams that were not read to their end. */
  readonly #openRows = new Set<IterableIterator<unknown>>();
  readonly #waiting: (() => void)[] = [];
  /** Called with every error that shows a damaged file. */
  onDamage: (error: unknown) => void = () => {};

  constructor(database: TransactionalDatabase) {
    this.#database = database;
  }

  /** Whether a transaction, a stream or Kysely itself uses the connection. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  async init(): Promise<void> {}

  /** Holds the connection, after all who asked for it earlier have released it. */
  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#isHeld) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isHeld = true;
    return this;
  }

  async releaseConnection(): Promise<void> {
    this.#closeRows();
    const next = this.#waiting.shift();
    // The next one holds the connection from now on, so that nothing runs in between.
    if (next) next();
    else this.#isHeld = false;
  }

  async beginTransaction(): Promise<void> {
    await whenUnlocked(() => this.command("begin"));
  }

  async commitTransaction(): Promise<void> {
    this.command("commit");
  }

  async rollbackTransaction(): Promise<void> {
    this.command("rollback");
  }

  async destroy(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // An open statement or transaction would keep its locks after the connection is closed.
    this.#closeRows();
    if (this.#database.isTransaction) this.#database.prepare("rollback").run([]);
    this.#database.close();
  }

  /** Begins or ends a transaction. */
  command(text: "begin" | "commit" | "rollback"): void {
    if (text === "commit") this.#requireTransaction();
    if (text === "rollback") this.#inTransaction = false;
    try {
      this.#database.prepare(text).run([]);
    } catch (error) {
      throw this.#observe(error);
    }
    this.#inTransaction = text === "begin";
  }

  /** After some errors, such as a full disk, SQLite rolls back on its own. What follows must not be stored without the rest. */
  #requireTransaction(): void {
    if (!this.#inTransaction || this.#database.isTransaction) return;
    throw new Error("SQLite has rolled back the transaction after an error of an earlier query");
  }

  #closeRows(): void {
    for (const rows of this.#openRows) rows.return?.();
    this.#openRows.clear();
  }

  /** Runs a query at once. */
  run<Row>(query: CompiledQuery): QueryResult<Row> {
    this.#requireTransaction();
    try {
      return this.#run(query);
    } catch (error) {
      throw this.#observe(error);
    }
  }

  #observe(error: unknown): unknown {
    if (isCorrupt(error)) this.onDamage(error);
    return error;
  }

  #run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const statement = this.#database.prepare(sql);
    if (statement.reader) return { rows: statement.all(parameters) as Row[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid), rows: [] };
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return await whenUnlocked(() => this.run(query));
  }

  async *streamQuery<Row>({ sql, parameters, query }: CompiledQuery): AsyncGenerator<QueryResult<Row>> {
    if (!SelectQueryNode.is(query)) throw new TypeError("Only the rows of a select can be streamed");
    this.#requireTransaction();
    const rows = this.#database.prepare(sql).iterate(parameters) as IterableIterator<Row>;
    this.#openRows.add(rows);
    try {
      for (const row of rows) {
        yield { rows: [row] };
        if (!this.#openRows.has(rows)) throw new Error("A stream was read after the end of its transaction");
      }
    } catch (error) {
      throw this.#observe(error);
    } finally {
      this.#openRows.delete(rows);
    }
  }
}
