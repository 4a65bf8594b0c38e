/** Brings a database's schema up to date, and refuses what a newer version or another program wrote. */
import { type Kysely, Migrator } from "kysely";
import { ServiceError } from "../core/errors.ts";
import { migrations } from "./migrations/index.ts";
import type { Schema } from "./schema.ts";

/** Applies the migrations that are missing, in one transaction. Throws `unusable` for a database that cannot be served. */
export async function migrate(db: Kysely<Schema>, location: string): Promise<void> {
  const done = await readAppliedMigrations(db, location);
  const unknown = done.filter((name) => !(name in migrations));
  if (unknown.length > 0) {
    throw new ServiceError("unusable", {
      message: `The database ${location} was written by a newer version of playtest (it has ${unknown.join(", ")})`,
      hint: "Update playtest, or name another database with --database.",
    });
  }
  if (done.length === Object.keys(migrations).length) return;
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/** The names of the migrations that a database has; none of a new one. */
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
    // Looking at all tables takes long: it is done where this one is not there, to tell why.
    const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
    if (tables.length === 0) return [];
    // A server that started at the same moment has made it since.
    if (tables.some((table) => table.name === "kysely_migration"))
      return (await read()).map(({ name }) => name);
    throw new ServiceError("unusable", {
      message: `The database ${location} cannot be opened: it is not a playtest database`,
      hint: "Name another database with --database.",
      cause,
    });
  }
}
