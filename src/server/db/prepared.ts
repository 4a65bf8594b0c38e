/** Prepared queries, whose SQL is built once: for a frequent query, building the SQL takes longer than running it. */
import { createHash } from "node:crypto";
import type { Compilable, CompiledQuery, DialectAdapter, QueryResult } from "kysely";
import type { Db } from "./schema.ts";

/**
 * Takes the place of a value while the SQL is built. Code that reads it throws, because SQL that depends on one value
 * would be reused for all values.
 */
class Placeholder {
  readonly row: number;
  readonly field: string;

  constructor(row: number, field: string) {
    this.row = row;
    this.field = field;
  }

  [Symbol.toPrimitive](): never {
    throw new TypeError(
      `A prepared query may check whether ${this.field} is set, but must not read its value`,
    );
  }
}

/** The names of prepared statements on the database server, by their SQL; null if its connections do not keep statements. */
let statementNames: Map<string, string> | null = new Map();
/** Maximum number of rows of a named statement, because the server keeps each statement in memory for each connection. */
const MAX_NAMED_ROWS = 32;

/**
 * Names a statement, so that Postgres parses it once for each connection. The columns of `*` change with the schema, and
 * Postgres then refuses to run the named statement. The name is a hash of the SQL: behind a connection pooler, several
 * processes may share a connection, and a name must never mean the statement of another process.
 */
function nameStatement(text: string, rows: number): void {
  if (rows > MAX_NAMED_ROWS || text.includes("*") || statementNames?.has(text)) return;
  statementNames?.set(text, `p_${createHash("sha256").update(text).digest("hex").slice(0, 40)}`);
}

/** The name of the prepared statement for the SQL of a query; undefined if it is not prepared on the server. */
export const getStatementName = (text: string): string | undefined => statementNames?.get(text);

/** Prepares no statements on the server from now on, because a connection pooler does not keep them. */
export function stopNamingStatements(): void {
  statementNames = null;
}

/** Runs a query with values. */
type PreparedQuery<Values, Output> = (db: Db, values: Values) => Promise<QueryResult<Output>>;

/**
 * Prepares a query over rows of values. All rows must have the same fields set. `build` is called once for each engine,
 * number of rows and set of fields, with placeholders instead of values: it may pass them to Kysely and check whether
 * one is undefined, but must not read their values.
 */
export function prepareRowsQuery<Row extends object, Output>(
  build: (db: Db, rows: readonly Row[]) => Compilable<Output>,
): PreparedQuery<readonly Row[], Output> {
  const byEngine = new WeakMap<DialectAdapter, Map<string, CompiledQuery<Output>>>();
  const compile = (db: Db, rows: readonly Row[]): CompiledQuery<Output> => {
    // Every connection and transaction of an open database has the same adapter.
    const engine = db.getExecutor().adapter;
    const byShape = byEngine.get(engine) ?? new Map<string, CompiledQuery<Output>>();
    const shape = toShapeKey(rows);
    const cached = byShape.get(shape);
    if (cached) return cached;
    const query = build(db, rows.map(toPlaceholders)).compile();
    nameStatement(query.sql, rows.length);
    byEngine.set(engine, byShape.set(shape, query));
    return query;
  };
  return (db, rows) => {
    const query = compile(db, rows);
    const values = rows as readonly Readonly<Record<string, unknown>>[];
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.row]?.[parameter.field] : parameter,
    );
    return db.executeQuery<Output>({ ...query, parameters });
  };
}

/** Maximum number of rows per statement of `runInParts`. Each number needs a statement of its own, which connections cache. */
const MAX_ROWS_PER_STATEMENT = 100;

/** Runs a query over any number of rows, of which each statement gets a part. */
export async function runInParts<Row extends object, Output>(
  db: Db,
  query: PreparedQuery<readonly Row[], Output>,
  rows: readonly Row[],
): Promise<Output[]> {
  const results: Output[] = [];
  for (let start = 0; start < rows.length; start += MAX_ROWS_PER_STATEMENT)
    for (const row of (await query(db, rows.slice(start, start + MAX_ROWS_PER_STATEMENT))).rows)
      results.push(row);
  return results;
}

/** Prepares a query over one row of values. */
export function prepareQuery<Values extends object, Output>(
  build: (db: Db, values: Values) => Compilable<Output>,
): PreparedQuery<Values, Output> {
  const run = prepareRowsQuery<Values, Output>((db, [values]) => build(db, values as Values));
  return (db, values) => run(db, [values]);
}

/** Identifies the SQL of a query: the number of rows and the fields that are set. */
function toShapeKey(rows: readonly object[]): string {
  let shape = String(rows.length);
  for (const [field, value] of Object.entries(rows[0] ?? {})) if (value !== undefined) shape += ` ${field}`;
  return shape;
}

/** The row with a placeholder for each value that is set. */
function toPlaceholders<Row extends object>(row: Row, index: number): Row {
  const fields = Object.entries(row).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields.map(([field]) => [field, new Placeholder(index, field)])) as Row;
}
