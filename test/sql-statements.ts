/** Records the SQL statements of a piece of work, but not those that the process sends at the same time for other work. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { CompiledQuery, DefaultQueryExecutor, QueryResult } from "kysely";
import { queryExecutor } from "./engine.ts";

export interface SentStatement {
  readonly query: CompiledQuery;
  /** Null for a stream. */
  readonly result: Promise<QueryResult<unknown>> | null;
}

interface Recording {
  readonly statements: SentStatement[];
  /** The SQL that was built, which prepared statements need only once. */
  readonly built: string[];
}

const recordings = new AsyncLocalStorage<Recording>();

/** Watches all statements, both of connections and of transactions, until the returned function is called. */
export function watchStatements(): () => void {
  const { compileQuery, executeQuery, stream } = queryExecutor.prototype;
  Object.assign(queryExecutor.prototype, {
    compileQuery(this: DefaultQueryExecutor, ...args: Parameters<typeof compileQuery>) {
      const query = compileQuery.apply(this, args);
      recordings.getStore()?.built.push(query.sql);
      return query;
    },
    executeQuery(this: DefaultQueryExecutor, ...args: Parameters<typeof executeQuery>) {
      const result = executeQuery.apply(this, args);
      recordings.getStore()?.statements.push({ query: args[0], result });
      return result;
    },
    stream(this: DefaultQueryExecutor, ...args: Parameters<typeof stream>) {
      recordings.getStore()?.statements.push({ query: args[0], result: null });
      return stream.apply(this, args);
    },
  });
  return () => Object.assign(queryExecutor.prototype, { compileQuery, executeQuery, stream });
}

/** Runs `work`, and returns its value and what it sent and built until then. */
export async function recordStatements<T>(
  work: () => Promise<T>,
): Promise<
  { readonly value: T } & Readonly<{ [Part in keyof Recording]: readonly Recording[Part][number][] }>
> {
  const recording: Recording = { statements: [], built: [] };
  const value = await recordings.run(recording, work);
  return { value, statements: [...recording.statements], built: [...recording.built] };
}
