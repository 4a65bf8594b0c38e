/** Opens a database, brings its schema up to date, and refuses what it cannot serve. */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { Kysely, Migrator, sql } from "kysely";
import { ApiError, fail } from "../../contract/errors.ts";
import { migrations } from "./migrations/index.ts";
import type { Schema } from "./schema.ts";
import { type Durability, openConnection, sqliteDialect } from "./sqlite.ts";

/** An open database. Reads and writes may go through different connections; each is consistent in itself. */
export interface Store {
  readonly read: Kysely<Schema>;
  readonly write: Kysely<Schema>;
  /** Where it is, fit for a message. */
  readonly location: string;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** A file, or `:memory:`. */
  readonly database: string;
  readonly durability?: Durability;
}

/** Opens (or creates) a database. Throws `config` where the file cannot be served, naming it and the way out. */
export async function openStore(options: OpenOptions): Promise<Store> {
  const { database, durability = "FULL" } = options;
  try {
    return await openSqlite(database, durability);
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw fail("config", {
      message: `The database ${database} cannot be opened: ${reasonOf(cause)}`,
      hint: "Name another file with --database, or move this one away to start anew.",
      cause,
    });
  }
}

async function openSqlite(file: string, durability: Durability): Promise<Store> {
  const inMemory = file === ":memory:";
  if (!inMemory) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const writer = await openConnection(file, { durability });
  const write = new Kysely<Schema>({ dialect: sqliteDialect(writer, "begin immediate") });
  try {
    await migrate(write, file);
  } catch (error) {
    await write.destroy();
    throw error;
  }
  const read = inMemory ? write : await openReader(file, durability, write);
  return {
    read,
    write,
    location: file,
    async close() {
      if (read !== write) await read.destroy();
      await fold(write);
      await write.destroy();
    },
  };
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
async function fold(db: Kysely<Schema>): Promise<void> {
  await sql`pragma wal_checkpoint(truncate)`.execute(db).catch(() => {});
}

async function migrate(db: Kysely<Schema>, location: string): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const unknown = await unknownMigrations(db, location);
  if (unknown.length > 0) {
    throw fail("config", {
      message: `The database ${location} was written by a newer version of playtest (it has ${unknown.join(", ")})`,
      hint: "Update playtest, or name another file with --database.",
    });
  }
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

async function unknownMigrations(db: Kysely<Schema>, location: string): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (tables.length === 0) return [];
  if (!tables.some((table) => table.name === "kysely_migration")) {
    throw fail("config", {
      message: `The database ${location} cannot be opened: it is not a playtest database`,
      hint: "Name another file with --database.",
    });
  }
  const done = await (db as unknown as Kysely<{ kysely_migration: { name: string } }>)
    .selectFrom("kysely_migration")
    .select("name")
    .execute();
  return done.map((row) => row.name).filter((name) => !(name in migrations));
}

/** What went wrong with a database, in words a person can act on. */
export function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (/disk is full|ENOSPC|SQLITE_FULL/i.test(message)) return "the disk is full";
  if (/not a database|malformed|corrupt/i.test(message))
    return "it is not a playtest database, or it is damaged";
  if (/unable to open|EACCES|EPERM|ENOENT|EISDIR|ENOTDIR/i.test(message))
    return `it is not accessible (${message})`;
  if (/readonly|EROFS/i.test(message)) return "it is read-only";
  if (/locked|busy/i.test(message)) return "another process holds it";
  return message;
}
