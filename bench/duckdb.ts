/** DuckDB beside the service: on a file, on as many threads as this machine has processors for the service. */
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";

/** What it may use. */
export const DUCKDB_THREADS = 2;

/** An open database. */
export interface Duck {
  readonly connection: DuckDBConnection;
  /** Runs a query and answers its rows. */
  rows(sql: string): Promise<unknown[][]>;
  stop(): void;
}

/** Opens a database file; its commits are written through to the disk, as is DuckDB's way. */
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
