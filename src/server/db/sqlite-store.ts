/** A database in a SQLite file: one connection writes, another reads what was committed. */
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { Kysely, sql } from "kysely";
import { withCounters } from "./counters.ts";
import { migrate } from "./migrate.ts";
import type { Db, Schema } from "./schema.ts";
import { type Durability, openConnection, sqliteDialect } from "./sqlite.ts";
import type { Store } from "./store.ts";

/** Opens (or creates) a file, or `:memory:`, and brings it up to date. */
export async function openSqlite(file: string, durability: Durability): Promise<Store> {
  const inMemory = file === ":memory:";
  if (!inMemory) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
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
  // Who holds the write lock is alone.
  const change = <T>(work: (db: Db) => Promise<T>) =>
    write.transaction().execute((db) => withCounters(db, work));
  return {
    engine: "sqlite",
    pool: null,
    readDb: read,
    writeDb: write,
    location: file,
    read: (work) => read.transaction().execute(work),
    write: change,
    serializable: change,
    async close() {
      if (read !== write) await read.destroy();
      await checkpoint(write);
      await write.destroy();
    },
  };
}

/** Makes a file that only its owner reads, before anything is in it: it holds what testers wrote, and models' keys. Its log takes after it. */
function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, "ax", 0o600));
  } catch {
    // It is there already and stays as its owner has it; or it cannot be made, and opening it tells why.
  }
}

/** A second connection, so that reads see one state while writes go on. */
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

/** Moves the log into the file, so that the file alone is a whole copy; where that fails, the log still holds everything. */
async function checkpoint(db: Kysely<Schema>): Promise<void> {
  await sql`pragma wal_checkpoint(truncate)`.execute(db).catch(() => {});
}
