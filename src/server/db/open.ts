/** Opens a database, brings its schema up to date, and refuses what it cannot serve. */
import { ServiceError } from "../core/errors.ts";
import type { Durability } from "./sqlite.ts";
import { openSqlite } from "./sqlite-store.ts";
import type { Store } from "./store.ts";

export type { Store } from "./store.ts";

export interface OpenStoreOptions {
  /** A file, `:memory:`, or the address of a Postgres database. */
  readonly database: string;
  readonly durability?: Durability;
  /** How long Postgres may take over a statement, ms; endless where it is not given. SQLite has no such bound. */
  readonly statementTimeoutMs?: number;
  /** Called when a transaction is tried again, others having been in its way. */
  readonly onRetry?: () => void;
}

/** Whether a database is named by the address of a server rather than by a file. */
export const isPostgres = (database: string): boolean => /^postgres(ql)?:\/\//i.test(database);

/** How a database is shown: its name or address without a password. */
export function redactPassword(database: string): string {
  if (!isPostgres(database)) return database;
  try {
    const { protocol, username, host, pathname } = new URL(database);
    return `${protocol}//${username ? `${username}@` : ""}${host}${pathname}`;
  } catch {
    return "postgres://…";
  }
}

/** Opens (or creates) a database. Throws `unusable` where it cannot be served, naming it and the way out. */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const { database, durability = "FULL", statementTimeoutMs: answerWithin, onRetry = () => {} } = options;
  try {
    if (!isPostgres(database)) return await openSqlite(database, durability);
    const { openPostgres } = await import("./postgres-store.ts");
    const location = redactPassword(database);
    return await openPostgres({
      address: database,
      location,
      durability,
      statementTimeoutMs: answerWithin,
      onRetry,
    });
  } catch (cause) {
    throw toOpenError(database, cause);
  }
}

/** Why a database cannot be served, naming it and the way out. */
export function toOpenError(database: string, cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause;
  return new ServiceError("unusable", {
    message: `The database ${redactPassword(database)} cannot be opened: ${describeDatabaseError(cause)}`,
    hint: isPostgres(database)
      ? "Check the address, the user and that the server runs: postgres://user:password@host:5432/database."
      : "Name another file with --database, or move this one away to start anew.",
    cause,
  });
}

/** What went wrong with a database, in words a person can act on. */
export function describeDatabaseError(cause: unknown): string {
  const message = readErrorMessage(cause);
  if (/disk is full|ENOSPC|SQLITE_FULL/i.test(message)) return "the disk is full";
  if (/not a database|malformed|corrupt/i.test(message))
    return "it is not a playtest database, or it is damaged";
  if (/unable to open|EACCES|EPERM|ENOENT|EISDIR|ENOTDIR/i.test(message))
    return `it is not accessible (${message})`;
  if (/readonly|EROFS/i.test(message)) return "it is read-only";
  if (/locked|busy/i.test(message)) return "another process holds it";
  return message;
}

/** An error of several addresses tried has no message of its own. */
function readErrorMessage(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === "")
    return cause.errors.map((error) => readErrorMessage(error)).join("; ");
  return cause instanceof Error ? cause.message : String(cause);
}
