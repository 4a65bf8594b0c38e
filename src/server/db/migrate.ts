/** Updates the schema of a database, and refuses a database that a newer version or another program wrote. */
import { type Kysely, type Migration, Migrator, PostgresAdapter, sql } from "kysely";
import { version } from "../../shared/version.prepared.ts";
import { ServiceError } from "../core/errors.ts";
import { liftTimeouts } from "./connection-check.ts";
import { convertToBaseline, isDevelopment, requireConvertible, toBaseline } from "./convert-030.ts";
import {
  migrations as allMigrations,
  type Migrations,
  readProgramVersion,
  storingProgramVersion,
} from "./migrations/index.ts";
import type { Schema } from "./schema.ts";
import { findUnfinishedImport, unfinishedImportError } from "./unfinished-import.ts";

/** The table in which Kysely stores the names of the applied migrations. */
const MIGRATION_TABLE = "kysely_migration";
const LOCK_TABLE = "kysely_migration_lock";

interface MigrateOptions {
  /** The migrations of this version (default: all). Tests add their own. */
  readonly migrations?: Migrations | undefined;
  /** Whether to throw `unusable` for a database without tables, instead of creating them. */
  readonly mustExist?: boolean;
  /** Whether to accept a part of an archive, to import the rest (default: false). */
  readonly continuesImport?: boolean;
  /** Called before the schema of an existing database is updated. */
  readonly beforeUpgrade?: () => Promise<void>;
}

/**
 * Applies all missing migrations in one transaction, after a database of a development version was converted to the baseline.
 * Throws `unusable` if this version cannot use the database.
 */
export async function migrate(
  db: Kysely<Schema>,
  location: string,
  {
    mustExist = false,
    continuesImport = false,
    migrations = allMigrations,
    beforeUpgrade,
  }: MigrateOptions = {},
): Promise<void> {
  const applied = await readSchemaVersion(db, location, migrations, continuesImport);
  if (isCurrent(applied, migrations)) return;
  if (applied.length === 0 && mustExist) throw emptyDatabase(location);
  if (applied.length > 0) await beforeUpgrade?.();
  if (isDevelopment(applied)) await convert(db, location, migrations);
  const provider = { getMigrations: async () => storingProgramVersion(withoutTimeouts(migrations)) };
  const migrator = new Migrator({ db, provider });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}

/** Converts a database of a development version, unless another server has done so meanwhile. */
async function convert(db: Kysely<Schema>, location: string, migrations: Migrations): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (usesPostgres(db)) {
      await liftTimeouts(transaction);
      await sql`lock table kysely_migration in exclusive mode`.execute(transaction);
    }
    if (isDevelopment(await readSchemaVersion(transaction, location, migrations)))
      await convertToBaseline(transaction);
  });
}

/** Throws `unusable` for a part of an archive. An import into Postgres is stored completely or not at all. */
export async function requireFinishedImport(
  db: Kysely<Schema>,
  location: string,
  isOfThisVersion = true,
): Promise<void> {
  const unfinished = usesPostgres(db) ? undefined : await findUnfinishedImport(db);
  if (unfinished) throw unfinishedImportError(location, unfinished, isOfThisVersion);
}

/** Whether a database has all migrations. */
export const isCurrent = (applied: readonly string[], migrations: Migrations = allMigrations): boolean =>
  Object.keys(migrations).every((name) => applied.includes(name));

/** The same migrations, which no timeout of a Postgres role ends. All run in one transaction. */
function withoutTimeouts(all: Migrations): Migrations {
  let isFirst = true;
  const lifting = ({ up }: Migration): Migration => ({
    async up(db) {
      if (isFirst && usesPostgres(db)) await liftTimeouts(db);
      isFirst = false;
      await up(db);
    },
  });
  return Object.fromEntries(Object.entries(all).map(([name, migration]) => [name, lifting(migration)]));
}

const usesPostgres = (db: Kysely<Schema>) => db.getExecutor().adapter instanceof PostgresAdapter;

/**
 * Reads the names of the migrations that were applied to a database, in order; empty for a new one. Changes nothing. Throws
 * `unusable` if this version cannot use the database.
 */
export async function readSchemaVersion(
  db: Kysely<Schema>,
  location: string,
  migrations: Migrations = allMigrations,
  continuesImport = false,
): Promise<string[]> {
  const { applied, unknown } = await readMigrations(db, location, migrations);
  if (unknown.length > 0) throw newerDatabase(location, unknown, await readProgramVersion(db));
  requireConvertible(applied, `The database ${location}`, "database");
  // The parts of an archive must not have the schemas of two versions.
  const isOfThisVersion = isCurrent(applied, migrations);
  if (!(continuesImport && isOfThisVersion)) await requireFinishedImport(db, location, isOfThisVersion);
  return applied;
}

/**
 * Reads the names of the migrations that were applied to a database, in order, and those of them that this version does not
 * know. Throws `unusable` if another program owns the database.
 */
export async function readMigrations(
  db: Kysely<Schema>,
  location: string,
  migrations: Migrations = allMigrations,
): Promise<{ readonly applied: string[]; readonly unknown: string[] }> {
  const applied = (await readAppliedMigrations(db, location)).sort();
  const unknown = toBaseline(applied).filter((name) => !(name in migrations));
  if (unknown.length > 0 && unknown.length === applied.length) throw notPlaytestDatabase(location);
  return { applied, unknown };
}

function newerDatabase(location: string, unknown: readonly string[], required: string | null): ServiceError {
  const details = `(unknown migrations: ${unknown.join(", ")})`;
  const isNamed = required !== null && required !== version;
  return new ServiceError("unusable", {
    message: isNamed
      ? `The database ${location} needs playtest ${required} or newer, but this is playtest ${version} ${details}`
      : `The database ${location} was written by a newer version of playtest ${details}`,
    hint: "Update playtest, or restore a backup of this version with `playtest server restore <backup>`.",
  });
}

export function emptyDatabase(location: string): ServiceError {
  return new ServiceError("unusable", {
    message: `The database ${location} is empty`,
    hint: "Specify another database with --database, or run `playtest server start` to set up this one.",
  });
}

/** The names of the migrations that were applied to a database; empty for a new database. */
async function readAppliedMigrations(db: Kysely<Schema>, location: string): Promise<string[]> {
  const read = async () =>
    await db
      .withTables<{ kysely_migration: { name: string } }>()
      .selectFrom("kysely_migration")
      .select("name")
      .execute();
  let cause: unknown;
  const before = await read().catch((error: unknown) => {
    cause = error;
    return [];
  });
  if (before.length > 0) return before.map(({ name }) => name);
  // Listing all tables is slow, so it is only done if the database is new or belongs to another program.
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const foreign = tables.filter(({ name }) => name !== MIGRATION_TABLE && name !== LOCK_TABLE);
  const extensions = foreign.length === 0 ? new Set() : await findExtensionTables(db);
  const others = foreign.filter(({ name }) => !extensions.has(name));
  if (others.length === 0) return [];
  // Another server that started at the same time may have created all tables in the meantime, in one transaction.
  const hasMigrations = foreign.length < tables.length;
  const applied = hasMigrations ? await read() : [];
  if (applied.length === 0) throw notPlaytestDatabase(location, cause);
  return applied.map(({ name }) => name);
}

/** The tables and views that extensions of Postgres have created. */
async function findExtensionTables(db: Kysely<Schema>): Promise<Set<string>> {
  if (!usesPostgres(db)) return new Set();
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_depend d join pg_class c on c.oid = d.objid
    where d.classid = 'pg_class'::regclass and d.deptype = 'e'
  `.execute(db);
  return new Set(rows.map(({ name }) => name));
}

export function notPlaytestDatabase(location: string, cause?: unknown): ServiceError {
  return new ServiceError("unusable", {
    message: `Cannot open the database ${location}: it is not a playtest database`,
    hint: "Specify another database with --database.",
    cause,
  });
}
