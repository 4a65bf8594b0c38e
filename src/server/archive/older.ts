/** Brings an archive of an older version up to date: imports it into a temporary database and upgrades that. */
import { ServiceError } from "../core/errors.ts";
import { requireConvertible, toBaseline } from "../db/convert-030.ts";
import { describeDatabaseError } from "../db/errors.ts";
import { isCurrent } from "../db/migrate.ts";
import { migrations as allMigrations, type Migrations } from "../db/migrations/index.ts";
import type { Db } from "../db/schema.ts";
import { type TableName, tableNames } from "../db/tables.ts";
import { openTemporary } from "../db/temporary.ts";
import { type ArchiveHeader, damagedError } from "./format.ts";
import { type ArchiveLine, readArchive } from "./reader.ts";
import { type Archive, importRows, type RestoreOptions } from "./restore.ts";
import { archiveLines } from "./writer.ts";

/**
 * Calls `use` with the archive, or with an up-to-date one if an older version has exported it. Throws `unusable` if a newer
 * version has exported it, or if it is damaged.
 */
export async function withCurrentArchive<T>(
  header: ArchiveHeader,
  archive: Archive,
  options: RestoreOptions,
  use: (current: Archive) => Promise<T>,
  migrations: Migrations = allMigrations,
): Promise<T> {
  const { source, lines } = archive;
  requireKnownVersion(header, source, migrations);
  const exported = toBaseline(header.migrations);
  if (isCurrent(exported, migrations)) return await use(archive);
  const temporary = await openTemporary(exported.at(-1) ?? "", migrations);
  try {
    const tables = await listTables(temporary.db);
    await importRows(temporary.db, readArchive(lines, source, tables), source, options);
    await options.onStep("Upgrading the archive");
    await temporary.upgrade().catch((cause: unknown) => {
      throw new ServiceError("unusable", {
        message: `${source} cannot be upgraded to this version: ${describeDatabaseError(cause)}`,
        hint: "Nothing was imported. Import it with the version that exported it.",
        cause,
      });
    });
    const upgraded = { ...header, migrations: Object.keys(migrations) };
    return await use({ ...archive, lines: readLines(temporary.db, upgraded, options) });
  } finally {
    await temporary.close();
  }
}

/**
 * Throws `unusable` if an archive was exported by a newer version of playtest or an early development version, or if its
 * header is damaged.
 */
export function requireKnownVersion(
  { migrations: exported, version }: ArchiveHeader,
  source: string,
  migrations: Migrations = allMigrations,
): void {
  requireConvertible(exported, source, "archive");
  const names = Object.keys(migrations);
  const applied = toBaseline(exported);
  const unknown = applied.filter((name) => !names.includes(name));
  if (unknown.length === 0) {
    if (applied.length > 0 && applied.every((name, index) => name === names[index])) return;
    throw damagedError(source, "line 1: the list of migrations is incomplete");
  }
  const newer = version === null ? "a newer version of playtest" : `playtest ${version}, a newer version`;
  throw new ServiceError("unusable", {
    message: `${source} was exported by ${newer} (unknown migrations: ${unknown.join(", ")})`,
    hint: "Update playtest, then import the archive again.",
  });
}

/** The tables of the database's schema that an archive contains, in order. */
async function listTables(db: Db): Promise<TableName[]> {
  const found = await db.introspection.getTables();
  return tableNames.filter((table) => found.some(({ name }) => name === table));
}

/** Yields the lines of an archive of the upgraded database. */
async function* readLines(
  db: Db,
  { createdAt, migrations }: ArchiveHeader,
  { signal, onStep }: RestoreOptions,
): AsyncGenerator<ArchiveLine> {
  let number = 0;
  const onTable = (table: string) => onStep(`Upgrading ${table}`);
  const options = { now: Date.parse(createdAt), signal, onTable };
  for await (const text of archiveLines(db, migrations, options)) {
    for (const line of text.split("\n").slice(0, -1)) yield { number: ++number, text: line };
  }
}
