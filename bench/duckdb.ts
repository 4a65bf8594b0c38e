/** DuckDB for comparisons: a database file, with as many threads as the service has processors. */
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";

export const DUCKDB_THREADS = 2;

/** An open database. */
export interface Duck {
  readonly connection: DuckDBConnection;
  /** Runs a query and returns its rows. */
  rows(sql: string): Promise<unknown[][]>;
  stop(): void;
}

/** Opens a database file with DuckDB's default durability: commits are flushed to the disk. */
export async function openDuck(file: string): Promise<Duck> {
  const instance = await DuckDBInstance.create(file, { threads: String(DUCKDB_THREADS) });
  const connection = await instance.connect();
  return {
    connection,
    rows: async (sql) => (await connection.runAndReadAll(sql)).getRows(),
    stop() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
