/** A temporary database with the schema of an earlier version, in which data of that version can be upgraded. */
import { Kysely, Migrator } from "kysely";
import { migrations as allMigrations, type Migrations } from "./migrations/index.ts";
import type { Schema } from "./schema.ts";
import { openConnection, sqliteDialect } from "./sqlite.ts";

interface TemporaryDatabase {
  readonly db: Kysely<Schema>;
  /** Applies the missing migrations. */
  upgrade(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens an empty database with the schema after the migration `last`. SQLite stores it in a file without a name, which the
 * system deletes even if the process is killed.
 */
export async function openTemporary(
  last: string,
  migrations: Migrations = allMigrations,
): Promise<TemporaryDatabase> {
  const connection = await openConnection("", { durability: "NORMAL" });
  const db = new Kysely<Schema>({ dialect: sqliteDialect(connection, "begin immediate") });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const requireSuccess = ({ error }: { readonly error?: unknown }) => {
    if (error) throw error;
  };
  try {
    requireSuccess(await migrator.migrateTo(last));
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    db,
    upgrade: async () => requireSuccess(await migrator.migrateToLatest()),
    close: () => db.destroy(),
  };
}
