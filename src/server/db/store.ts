/** The interface of an open database, the same for both engines. */
import type { Kysely } from "kysely";
import type { Pool } from "pg";
import type { Db, Schema } from "./schema.ts";

/** An open database. Reads and writes may use different connections; each is consistent on its own. */
export interface Store {
  readonly engine: "sqlite" | "postgres";
  readonly readDb: Kysely<Schema>;
  readonly writeDb: Kysely<Schema>;
  /** The file or URL of the database, without a password, for messages. */
  readonly location: string;
  /** Runs a read transaction: all reads see the same snapshot. */
  read<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Runs a write transaction. On Postgres, others may write at the same time, so lock the rows that are read in order to
   * be changed. `work` runs again if the transaction was part of a deadlock.
   */
  write<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Runs a write transaction as if no other ran at the same time. `work` runs again after a serialization failure. */
  serializable<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Runs many transactions that can be repeated. Those of a SQLite file are only on disk for sure once the next one after
   * them is, because waiting for the disk would take most of the time. They run one after another, and let other processes
   * write in between.
   */
  syncLater<T>(work: () => Promise<T>): Promise<T>;
  /** Whether all games are available: false while a node of a sharded database is down. */
  isComplete(): boolean;
  /** The size of the database in bytes. Space that deleted rows have left and new ones can use does not count on SQLite. */
  measureSize(): Promise<number>;
  /** The connection pool of a database that several servers may share; null for SQLite, which one process owns. */
  readonly pool: Pool | null;
  /**
   * Returns some of the file space of deleted rows to the file system. The result is whether more may be left.
   * Postgres manages its space itself.
   */
  shrink(): Promise<boolean>;
  /**
   * Removes what deleted rows have left in the files of a database, which takes as long as writing all of it. Returns false if
   * a reader prevents it for now. A Postgres server reuses the space of deleted rows on its own.
   */
  purgeDeleted(): Promise<boolean>;
  /** Calls the listener with every error of a query that shows a damaged SQLite file. */
  watchDamage(listener: (error: unknown) => void): void;
  close(): Promise<void>;
}
