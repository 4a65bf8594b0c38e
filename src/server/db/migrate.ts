/** Updates the schema of a database, and refuses a database that a newer version or another program wrote. */
import { type Kysely, Migrator } from "kysely";
import { ServiceError } from "../core/errors.ts";
import { migrations } from "./migrations/index.ts";
import type { Schema } from "./schema.ts";

/** Applies all missing migrations in one transaction. Throws `unusable` if this version cannot use the database. */
export async function migrate(db: Kysely<Schema>, location: string): Promise<void> {
  const applied = await readAppliedMigrations(db, location);
  const unknown = applied.filter((name) => !(name in migrations));
  if (unknown.length > 0) {
    throw new ServiceError("unusable", {
      message: `The database ${location} was written by a newer version of playtest (unknown migrations: ${unknown.join(", ")})`,
      hint: "Update playtest, or specify another database with --database.",
    });
  }
  if (applied.length === Object.keys(migrations).length) return;
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/** The names of the migrations that were applied to a database; empty for a new database. */
async function readAppliedMigrations(db: Kysely<Schema>, location: string): Promise<string[]> {
  const read = async () =>
    await db
      .withTables<{ kysely_migration: { name: string } }>()
      .selectFrom("kysely_migration")
      .select("name")
      .execute();
  try {
    return (await read()).map(({ name }) => name);
  } catch (cause) {
    // Listing all tables is slow, so it is only done to find out why this table could not be read.
    const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
    if (tables.length === 0) return [];
    // Another server that started at the same time has created it in the meantime.
    if (tables.some((table) => table.name === "kysely_migration"))
      return (await read()).map(({ name }) => name);
    throw new ServiceError("unusable", {
      message: `Cannot open the database ${location}: it is not a playtest database`,
      hint: "Specify another database with --database.",
      cause,
    });
  }
}
