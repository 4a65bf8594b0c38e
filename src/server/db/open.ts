/** Opens a database and updates its schema, or explains why the database cannot be used. */
import { statSync } from "node:fs";
import { ServiceError } from "../core/errors.ts";
import { describeDatabaseError } from "./errors.ts";
import type { Migrations } from "./migrations/index.ts";
import type { Db } from "./schema.ts";
import type { Durability } from "./sqlite.ts";
import { readSqlite } from "./sqlite-inspect.ts";
import { openSqlite, openSqliteReader } from "./sqlite-store.ts";
import type { Store } from "./store.ts";
import type { Upgrade } from "./upgrade-copy.ts";

export { describeDatabaseError } from "./errors.ts";
export type { Store } from "./store.ts";
export type { Upgrade } from "./upgrade-copy.ts";

export interface OpenStoreOptions {
  /** A file, `:memory:`, or the URL of a Postgres database. */
  readonly database: string;
  readonly durability?: Durability;
  /** Maximum duration of a statement on Postgres, ms (default: no limit). SQLite ignores it. */
  readonly statementTimeoutMs?: number;
  /** Called when a transaction is retried after a conflict or a lost connection. */
  readonly onRetry?: () => void;
  /** Whether to throw `unusable` for a database without tables, instead of creating them. */
  readonly mustExist?: boolean;
  /** Whether to open a connection that only reads to a database that another process has opened (default: false). */
  readonly onlyReads?: boolean;
  /** Whether to open a read-only Postgres database, such as a standby (default: false). */
  readonly allowsReadOnly?: boolean;
  /** Whether to copy a database file before its schema is updated (default: true). */
  readonly copiesBeforeUpgrade?: boolean;
  /** Whether to open a SQLite file with a part of an archive, to import the rest (default: false). */
  readonly continuesImport?: boolean;
  /** The migrations of this version (default: all). Tests add their own. */
  readonly migrations?: Migrations;
  /** Called before the schema of an existing database is updated, after the database file was copied. */
  readonly onUpgrade?: (upgrade: Upgrade) => Promise<void>;
}

/** Whether a database is given as the URL of a Postgres server rather than as a file. */
export const isPostgres = (database: string): boolean => /^postgres(ql)?:\/\//i.test(database);

/**
 * The database as messages show it: the file, or the URL without its password. If the password contains an unescaped slash,
 * question mark or number sign, the URL ends its host there, and the rest of the password and an `@` follow.
 */
export function redactPassword(database: string): string {
  if (!isPostgres(database)) return database;
  try {
    const { protocol, username, host, pathname, search, hash } = new URL(database);
    if (`${pathname}${search}${hash}`.includes("@")) return "postgres://…";
    return `${protocol}//${username ? `${username}@` : ""}${host}${pathname}`;
  } catch {
    return "postgres://…";
  }
}

/** Opens or creates a database. Throws `unusable` with the database, the reason and a hint if it cannot be used. */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const {
    database,
    durability = "FULL",
    statementTimeoutMs,
    onRetry = () => {},
    mustExist = false,
    allowsReadOnly = false,
    onlyReads = false,
  } = options;
  const { copiesBeforeUpgrade = true, continuesImport = false } = options;
  const { migrations, onUpgrade = async () => {} } = options;
  try {
    if (!isPostgres(database) && onlyReads) return await openSqliteReader(database, durability);
    if (!isPostgres(database))
      return await openSqlite(database, {
        durability,
        mustExist,
        copiesBeforeUpgrade,
        continuesImport,
        migrations,
        onUpgrade,
      });
    rejectSeveralHosts(database);
    rejectUnescapedPassword(database);
    const { openPostgres } = await import("./postgres-store.ts");
    const location = redactPassword(database);
    const connection = { address: database, location, durability, statementTimeoutMs };
    const maxConnections = onlyReads ? 1 : undefined;
    return await openPostgres({
      ...{ ...connection, maxConnections, onRetry, mustExist, migrations, onUpgrade },
      allowsReadOnly: allowsReadOnly || onlyReads,
    });
  } catch (cause) {
    throw toOpenError(database, cause);
  }
}

/** Opens a database for some work, and closes it. */
export async function withStore<T>(
  options: OpenStoreOptions,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Reads a database, also one with the schema of an older version, without changing it. */
export async function readDatabase<T>(database: string, read: (db: Db) => Promise<T>): Promise<T> {
  try {
    if (!isPostgres(database)) return await readSqlite(database, read);
    rejectSeveralHosts(database);
    rejectUnescapedPassword(database);
    const { useDatabase } = await import("./prepare-postgres.ts");
    return await useDatabase({ address: database, location: redactPassword(database) }, {}, read);
  } catch (cause) {
    throw toOpenError(database, cause);
  }
}

/** Wraps the reason why a database cannot be opened in an error that names the database and has a hint. */
export function toOpenError(database: string, cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause;
  const reason = isFolder(database) ? "it is a folder, not a file" : describeDatabaseError(cause);
  return new ServiceError("unusable", {
    message: `Cannot open the database ${redactPassword(database)}: ${reason}`,
    hint: isPostgres(database)
      ? "Check that the server is running, and check the URL: postgres://user:password@host:5432/database."
      : isFolder(database)
        ? "Specify a file with --database."
        : "Specify another file with --database, or move this file away to start with an empty database.",
    cause,
  });
}

/** Rejects a URL with several hosts, such as those that libpq tries in turn. */
function rejectSeveralHosts(database: string): void {
  const [authority = ""] = database.slice(database.indexOf("//") + 2).split(/[/?#]/);
  const hosts = authority.slice(authority.lastIndexOf("@") + 1);
  if (!hosts.includes(",")) return;
  throw new ServiceError("unusable", {
    message: `The URL of the database has several hosts: ${hosts}`,
    hint: "Specify one address that always leads to the primary: a proxy, a virtual IP address or a DNS name.",
  });
}

/** Rejects a URL whose password seems to be in its path, because Postgres would repeat it in an error. */
function rejectUnescapedPassword(database: string): void {
  const { pathname, hash } = new URL(database);
  if (`${pathname}${hash}`.includes("@"))
    throw new Error("in the password, write / as %2F, ? as %3F, # as %23 and @ as %40");
}

function isFolder(database: string): boolean {
  if (isPostgres(database)) return false;
  try {
    return statSync(database).isDirectory();
  } catch {
    return false;
  }
}
