/** Postgres for comparisons: a separate server on loopback with default settings. */
import pg from "pg";
import { startOwnPostgres } from "../test/postgres/server.ts";

/** An open database. */
export interface Postgres {
  /** Runs a query and returns its rows as arrays. */
  rows(sql: string, values?: readonly unknown[]): Promise<unknown[][]>;
  stop(): Promise<void>;
}

/** Starts a server and connects. */
export async function openPostgres(): Promise<Postgres> {
  const server = await startOwnPostgres();
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  return {
    rows: async (text, values = []) =>
      (await client.query({ text, values: [...values], rowMode: "array" })).rows as unknown[][],
    async stop() {
      await client.end();
      await server.stop();
    },
  };
}
