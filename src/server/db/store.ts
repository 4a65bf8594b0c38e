/** An open database, whatever its engine. */
import type { Kysely } from "kysely";
import type { Pool } from "pg";
import type { Db, Schema } from "./schema.ts";

/** An open database. Reads and writes may go through different connections; each is consistent in itself. */
export interface Store {
  readonly engine: "sqlite" | "postgres";
  readonly readDb: Kysely<Schema>;
  readonly writeDb: Kysely<Schema>;
  /** Where it is, fit for a message: without a password. */
  readonly location: string;
  /** Runs reads that all see one state. */
  read<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Runs a transaction that writes. Others may write at the same time where the engine lets them: a row that is read to
   * be changed is locked with the reading. `work` is run anew where two transactions waited for each other.
   */
  write<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Runs a transaction that writes as if nobody else did; `work` is run anew where somebody did after all. */
  serializable<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** The connections of a database that several servers may share; null where one process owns it. */
  readonly pool: Pool | null;
  close(): Promise<void>;
}
