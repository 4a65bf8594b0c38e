/** A version of the program with one more migration, for tests of upgrades. */
import type { Kysely } from "kysely";
import { type Migrations, migrations } from "../../../src/server/db/migrations/index.ts";

/** Adds a column and an index. Fails if the index exists. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("games").addColumn("mood", "text").execute();
  await db.schema.createIndex("games_by_mood").on("games").columns(["account_id", "mood"]).execute();
}

export const nextMigrations: Migrations = { ...migrations, "999-mood": { up } };
