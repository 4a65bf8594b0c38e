/** Records the SQL statements of a piece of work, but not those that the process sends at the same time for other work. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { CompiledQuery, DefaultQueryExecutor, QueryResult } from "kysely";
import { vi } from "vitest";
import { queryExecutor } from "./engine.ts";

export interface SentStatement {
  readonly query: CompiledQuery;
  /** Null for a stream. */
  readonly result: Promise<QueryResult<unknown>> | null;
}

const recordings = new AsyncLocalStorage<SentStatement[]>();

/** Watches all statements, both of connections and of transactions, until `vi.restoreAllMocks()`. */
export function watchStatements(): void {
  for (const method of ["executeQuery", "stream"] as const) {
    const run = queryExecutor.prototype[method];
    vi.spyOn(queryExecutor.prototype, method).mockImplementation(function (
      this: DefaultQueryExecutor,
      ...args: Parameters<typeof run>
    ) {
      const result = Reflect.apply(run, this, args);
      recordings.getStore()?.push({ query: args[0], result: method === "executeQuery" ? result : null });
      return result;
    });
  }
}

/** Runs `work`, and returns its value and the statements that it sent until then. */
export async function recordStatements<T>(
  work: () => Promise<T>,
): Promise<{ value: T; statements: readonly SentStatement[] }> {
  const sent: SentStatement[] = [];
  const value = await recordings.run(sent, work);
  return { value, statements: [...sent] };
}
