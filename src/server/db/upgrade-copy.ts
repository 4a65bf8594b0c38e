/** Copies a database file before an upgrade changes its schema, because the previous version of the program cannot open it afterwards. */
import { rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { Kysely } from "kysely";
import { syncFolder } from "../../shared/atomic-file.ts";
import { isCurrent, readSchemaVersion } from "./migrate.ts";
import type { Migrations } from "./migrations/index.ts";
import type { Schema } from "./schema.ts";
import { copySqlite, removeSqlite } from "./sqlite-copy.ts";

/** An update of the schema of an existing database. */
export interface Upgrade {
  readonly location: string;
  /** The copy of the database before the upgrade; null if none was made. */
  readonly copy: string | null;
}

/**
 * Copies a database next to itself, to a name with the number of its last migration, such as `playtest.db.schema-012.bak`.
 * Returns the copy, or null if another process has upgraded the database meanwhile.
 */
export async function copyBeforeUpgrade(
  write: Kysely<Schema>,
  file: string,
  migrations?: Migrations,
): Promise<string | null> {
  // The transaction takes the write lock, so that only one process copies the database and removes an unfinished copy.
  return await write.transaction().execute(async (db) => {
    const applied = await readSchemaVersion(db, file, migrations);
    if (isCurrent(applied, migrations)) return null;
    const copy = `${file}.schema-${getNumber(applied)}.bak`;
    const draft = `${copy}.tmp`;
    await removeSqlite(draft);
    await copySqlite(file, draft);
    await rename(draft, copy);
    await syncFolder(dirname(copy));
    return copy;
  });
}

/** The number of the last migration, such as `012`. */
function getNumber(applied: readonly string[]): string {
  const [number = "unknown"] = /^\d+/.exec(applied.at(-1) ?? "") ?? [];
  return number;
}
