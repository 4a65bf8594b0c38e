/** Queries whose text is built once: building that of a hot query takes longer than running it. */
import type { Compilable, CompiledQuery, DialectAdapter, QueryResult } from "kysely";
import type { Db } from "./schema.ts";

/** Stands for a value while a text is built. It can only be passed on: who looks at it would build one value's text for all. */
class Placeholder {
  readonly row: number;
  readonly field: string;

  constructor(row: number, field: string) {
    this.row = row;
    this.field = field;
  }

  [Symbol.toPrimitive](): never {
    throw new TypeError(`A kept query may ask whether ${this.field} is given, not what it is`);
  }
}

/** Runs a query with some values. */
type PreparedQuery<Values, Output> = (db: Db, values: Values) => Promise<QueryResult<Output>>;

/**
 * A query over rows of values, of which all have the same fields set. `build` is called once for every engine, number
 * of rows and set of fields that are given, with places instead of values: it may pass them to Kysely, and ask whether
 * one is undefined, but never what it is.
 */
export function prepareRowsQuery<Row extends object, Output>(
  build: (db: Db, rows: readonly Row[]) => Compilable<Output>,
): PreparedQuery<readonly Row[], Output> {
  const byEngine = new WeakMap<DialectAdapter, Map<string, CompiledQuery<Output>>>();
  const built = (db: Db, rows: readonly Row[]): CompiledQuery<Output> => {
    // Every connection and transaction of an open database has the same adapter.
    const engine = db.getExecutor().adapter;
    const byShape = byEngine.get(engine) ?? new Map<string, CompiledQuery<Output>>();
    const shape = toShapeKey(rows);
    const known = byShape.get(shape);
    if (known) return known;
    const query = build(db, rows.map(toPlaceholders)).compile();
    byEngine.set(engine, byShape.set(shape, query));
    return query;
  };
  return (db, rows) => {
    const query = built(db, rows);
    const values = rows as readonly Readonly<Record<string, unknown>>[];
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.row]?.[parameter.field] : parameter,
    );
    return db.executeQuery<Output>({ ...query, parameters });
  };
}

/** A query over one row of values. */
export function prepareQuery<Values extends object, Output>(
  build: (db: Db, values: Values) => Compilable<Output>,
): PreparedQuery<Values, Output> {
  const run = prepareRowsQuery<Values, Output>((db, [values]) => build(db, values as Values));
  return (db, values) => run(db, [values]);
}

/** How many rows, and which fields are given. */
function toShapeKey(rows: readonly object[]): string {
  let shape = String(rows.length);
  for (const [field, value] of Object.entries(rows[0] ?? {})) if (value !== undefined) shape += ` ${field}`;
  return shape;
}

/** The row with a place in the stead of each value that is given. */
function toPlaceholders<Row extends object>(row: Row, at: number): Row {
  const given = Object.entries(row).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([field]) => [field, new Placeholder(at, field)])) as Row;
}
