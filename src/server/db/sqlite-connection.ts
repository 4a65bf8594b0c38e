/** One SQLite connection, which a transaction or stream holds until its end. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  type SqliteDatabase,
} from "kysely";

/** A connection as Kysely's driver with a single connection. */
export class SqliteDriver implements Driver, DatabaseConnection {
  readonly #database: SqliteDatabase;
  #isHeld = false;
  #isClosed = false;
  readonly #waiting: (() => void)[] = [];

  constructor(database: SqliteDatabase) {
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
    const next = this.#waiting.shift();
    // The next one holds the connection from now on, so that nothing runs in between.
    if (next) next();
    else this.#isHeld = false;
  }

  async beginTransaction(): Promise<void> {
    this.command("begin");
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
    this.#database.close();
  }

  /** Runs a statement without values or rows. */
  command(text: string): void {
    this.#database.prepare(text).run([]);
  }

  /** Runs a query at once. */
  run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const statement = this.#database.prepare(sql);
    if (statement.reader) return { rows: statement.all(parameters) as Row[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid), rows: [] };
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.run(query);
  }

  async *streamQuery<Row>({ sql, parameters, query }: CompiledQuery): AsyncGenerator<QueryResult<Row>> {
    if (!SelectQueryNode.is(query)) throw new TypeError("Only the rows of a select can be streamed");
    for (const row of this.#database.prepare(sql).iterate(parameters)) yield { rows: [row as Row] };
  }
}
