/** A database in a SQLite file, with one connection for writes and one for reads. */
import { closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { Kysely, sql } from "kysely";
import { createFolder } from "../../shared/create-folder.ts";
import { withCounters } from "./counters.ts";
import { migrate } from "./migrate.ts";
import type { Db, Schema } from "./schema.ts";
import { type Durability, openConnection, sqliteDialect } from "./sqlite.ts";
import type { Store } from "./store.ts";

/** Opens or creates a database file, or `:memory:`, and updates its schema. */
export async function openSqlite(file: string, durability: Durability): Promise<Store> {
  const inMemory = file === ":memory:";
  if (!inMemory) {
    createFolder(dirname(file), 0o700);
    createPrivateFile(file);
  }
  const writer = await openConnection(file, { durability });
  const write = new Kysely<Schema>({ dialect: sqliteDialect(writer, "begin immediate") });
  try {
    await migrate(write, file);
  } catch (error) {
    await write.destroy();
    throw error;
  }
  const read = inMemory ? write : await openReader(file, durability, write);
  // SQLite has one writer at a time, so every write transaction is serializable.
  const transact = <T>(work: (db: Db) => Promise<T>) =>
    write.transaction().execute((db) => withCounters(db, work));
  return {
    engine: "sqlite",
    pool: null,
    readDb: read,
    writeDb: write,
    location: file,
    read: (work) => read.transaction().execute(work),
    write: transact,
    serializable: transact,
    async close() {
      if (read !== write) await read.destroy();
      await checkpoint(write);
      await write.destroy();
    },
  };
}

/**
 * Creates the file so that only its owner can read it: it will contain tester texts and the keys of AI providers. SQLite
 * gives its write-ahead log the same permissions.
 */
function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, "ax", 0o600));
  } catch {
    // An existing file keeps its permissions. If the file cannot be created, opening it reports why.
  }
}

/** Opens a second connection, so that reads see a consistent snapshot during writes. */
async function openReader(
  file: string,
  durability: Durability,
  write: Kysely<Schema>,
): Promise<Kysely<Schema>> {
  try {
    const reader = await openConnection(file, { durability, readOnly: true });
    return new Kysely<Schema>({ dialect: sqliteDialect(reader, "begin") });
  } catch (error) {
    await write.destroy();
    throw error;
  }
}

/** Moves the write-ahead log into the file, so that the file can be copied alone. If that fails, the log keeps the data. */
async function checkpoint(db: Kysely<Schema>): Promise<void> {
  await sql`pragma wal_checkpoint(truncate)`.execute(db).catch(() => {});
}
