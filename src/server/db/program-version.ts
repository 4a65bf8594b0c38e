/** The version of the program that last updated the schema, so that an older program can name the version it needs. */
import type { Kysely, Migration } from "kysely";
import { version } from "../../shared/version.generated.ts";
import type { Schema } from "./schema.ts";

/** The id of the only row. */
const ID = 1;

/**
 * The same migrations, of which the last one also stores the version of this program, in the same transaction. The table
 * is not part of a migration, because programs must be able to read it in a database with migrations they do not know.
 */
export function storingProgramVersion(
  migrations: Readonly<Record<string, Migration>>,
): Record<string, Migration> {
  const [last, migration] = Object.entries(migrations).at(-1) ?? [];
  if (last === undefined || migration === undefined) return migrations;
  const up = async (db: Kysely<unknown>) => {
    await migration.up(db);
    await storeProgramVersion(db);
  };
  return { ...migrations, [last]: { up } };
}

async function storeProgramVersion(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("program_versions")
    .ifNotExists()
    .addColumn("id", "integer", (c) => c.primaryKey())
    .addColumn("version", "text", (c) => c.notNull())
    .execute();
  await (db as Kysely<Schema>)
    .insertInto("program_versions")
    .values({ id: ID, version })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ version }))
    .execute();
}

/** The version of the program that last updated the schema; null if it did not store its version. */
export async function readProgramVersion(db: Kysely<Schema>): Promise<string | null> {
  const row = await db
    .selectFrom("program_versions")
    .select("version")
    .where("id", "=", ID)
    .executeTakeFirst()
    .catch(() => undefined);
  return row?.version ?? null;
}
