/** Records the SQL statements of a piece of work, but not those that the process sends at the same time for other work. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { CompiledQuery, DefaultQueryExecutor, QueryResult } from "kysely";
import { queryExecutor } from "./engine.ts";

export interface SentStatement {
  readonly query: CompiledQuery;
  /** Null for a stream. */
  readonly result: Promise<QueryResult<unknown>> | null;
}

const recordings = new AsyncLocalStorage<SentStatement[]>();

/** Watches all statements, both of connections and of transactions, until the returned function is called. */
export function watchStatements(): () => void {
  const { executeQuery, stream } = queryExecutor.prototype;
  Object.assign(queryExecutor.prototype, {
    executeQuery(this: DefaultQueryExecutor, ...args: Parameters<typeof executeQuery>) {
      const result = executeQuery.apply(this, args);
      recordings.getStore()?.push({ query: args[0], result });
      return result;
    },
    stream(this: DefaultQueryExecutor, ...args: Parameters<typeof stream>) {
      recordings.getStore()?.push({ query: args[0], result: null });
      return stream.apply(this, args);
    },
  });
  return () => Object.assign(queryExecutor.prototype, { executeQuery, stream });
}

/** Runs `work`, and returns its value and the statements that it sent until then. */
export async function recordStatements<T>(
  work: () => Promise<T>,
): Promise<{ value: T; statements: readonly SentStatement[] }> {
  const sent: SentStatement[] = [];
  const value = await recordings.run(sent, work);
  return { value, statements: [...sent] };
}
