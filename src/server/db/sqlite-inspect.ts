/** Looks into database files without changing them. */
import { Kysely } from "kysely";
import { ServiceError } from "../core/errors.ts";
import { describeDatabaseError } from "./errors.ts";
import { emptyDatabase, readSchemaVersion } from "./migrate.ts";
import { countRows } from "./rows.ts";
import type { Db, Schema } from "./schema.ts";
import { openConnection, sqliteDialect } from "./sqlite.ts";

/** Throws `unusable` if this version cannot open the database, or if it is empty. */
export async function inspectSqlite(file: string): Promise<{ readonly games: number }> {
  return await readSqlite(file, async (db) => ({ games: await countRows(db.selectFrom("games")) }));
}

/** Reads a database that no server needs to have open. Throws `unusable` like `inspectSqlite`. */
export async function readSqlite<T>(file: string, read: (db: Db) => Promise<T>): Promise<T> {
  try {
    return await readOnce(file, read).catch(async (error: unknown) => {
      if (!isReadOnlyError(error)) throw error;
      await rollBack(file);
      return await readOnce(file, read);
    });
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError("unusable", {
      message: `Cannot open the database ${file}: ${describeDatabaseError(cause)}`,
      hint: "Specify another database with --database.",
      cause,
    });
  }
}

async function readOnce<T>(file: string, read: (db: Db) => Promise<T>): Promise<T> {
  const connection = await openConnection(file, { durability: "FULL", readOnly: true });
  const db = new Kysely<Schema>({ dialect: sqliteDialect(connection, "begin") });
  try {
    if ((await readSchemaVersion(db, file)).length === 0) throw emptyDatabase(file);
    return await read(db);
  } finally {
    await db.destroy();
  }
}

/** The primary result code of SQLite for attempts to write (https://sqlite.org/rescode.html#readonly). */
const READONLY = 8;

const isReadOnlyError = (error: unknown): boolean =>
  (((error as { readonly errcode?: number }).errcode ?? 0) & 0xff) === READONLY;

/** Rolls back what a killed process has left, which only a connection that may write can do. */
async function rollBack(file: string): Promise<void> {
  const connection = await openConnection(file, { durability: "FULL" });
  connection.close();
}
