/** Error codes of the database engines and the network: which errors are worth a retry, and which mean an outage. */

/** A prepared statement is not there, or there already: a connection pooler gave the connection to somebody else. */
export const LOST_STATEMENT_CODES: ReadonlySet<string> = new Set(["26000", "42P05"]);
/**
 * After these, a write transaction runs again: a serialization failure, a deadlock that the server resolved, or a lost
 * prepared statement.
 */
export const REPEATED_WRITE_CODES: ReadonlySet<string> = new Set(["40001", "40P01", ...LOST_STATEMENT_CODES]);
/** The same, or another transaction inserted the same key first (a unique violation). */
export const WRITE_CONFLICT_CODES: ReadonlySet<string> = new Set([...REPEATED_WRITE_CODES, "23505"]);
/** The same for migrations: another server created the table, column or index first. */
export const MIGRATION_CONFLICT_CODES: ReadonlySet<string> = new Set([
  ...WRITE_CONFLICT_CODES,
  ...["42P07", "42701", "42710"],
]);
/** The connection was lost or refused: the server was stopped, crashed, or has no connections left. */
export const CONNECTION_LOST_CODES: ReadonlySet<string> = new Set([
  ...["57P01", "57P02", "57P03", "53300", "08000", "08003", "08006"],
  ...["ECONNRESET", "ECONNREFUSED", "EPIPE", "ETIMEDOUT"],
]);

/** An earlier statement of the transaction has failed. */
export const TRANSACTION_FAILED_CODE = "25P02";

/** The code of a refused connection: nothing was done, and the same may work later. */
export const UNAVAILABLE_CODE = "ECONNREFUSED";
/** Our own code for a connection on which the server stopped responding. */
export const RESPONSE_TIMEOUT_CODE = "ESILENT";
/** Our own code for what may be on a node of a sharded database that is down. */
export const NODE_DOWN_CODE = "ENODEDOWN";
/** The database took too long: Postgres cancelled the statement or transaction, or does not respond. A retry would take as long. */
const TIMEOUT_CODES: ReadonlySet<string> = new Set(["57014", "25P03", RESPONSE_TIMEOUT_CODE]);
/** Postgres is out of disk space or memory, or is read-only for now. */
const UNWRITABLE_CODES: ReadonlySet<string> = new Set(["53100", "53200", "25006"]);
/** The same for SQLite, by primary result code: BUSY, LOCKED, READONLY, IOERR, FULL and CANTOPEN. */
const SQLITE_BUSY = 5;
const SQLITE_TRANSIENT_CODES: ReadonlySet<number> = new Set([SQLITE_BUSY, 6, 8, 10, 13, 14]);

/** Whether the cause is a temporary state of the database rather than the request: it is unavailable or cannot store data. */
export function isTransient(error: unknown): boolean {
  const code = getErrorCode(error);
  return (
    CONNECTION_LOST_CODES.has(code) ||
    code === NODE_DOWN_CODE ||
    TIMEOUT_CODES.has(code) ||
    UNWRITABLE_CODES.has(code) ||
    SQLITE_TRANSIENT_CODES.has(readErrcode(error) ?? 0)
  );
}

/** SQLite: pages are damaged, or the file has been replaced by something else. */
const SQLITE_CORRUPT_CODES: ReadonlySet<number> = new Set([11, 26]);

/** Whether an error of SQLite shows that the file is damaged. The packaged driver has no result code for reads. */
export function isCorrupt(error: unknown): boolean {
  const errcode = readErrcode(error);
  if (errcode !== null) return SQLITE_CORRUPT_CODES.has(errcode);
  return (
    getErrorCode(error) === "ERR_SQLITE_ERROR" &&
    /malformed|file is not a database/.test(String((error as Error).message))
  );
}

/** Whether another process writes to the SQLite file, or has locked it. */
export const isLocked = (error: unknown): boolean => readErrcode(error) === SQLITE_BUSY;

/**
 * The primary result code of an SQLite error, which is the lowest byte of an extended one (https://sqlite.org/rescode.html);
 * otherwise null.
 */
function readErrcode(error: unknown): number | null {
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  return typeof errcode === "number" ? errcode & 0xff : null;
}

/** The code of an error, or an empty string. */
export function getErrorCode(error: unknown): string {
  const { code, message, routine } = (error ?? {}) as Readonly<Record<string, unknown>>;
  // The driver sets no code when a connection attempt times out or a connection ends in the middle of a query.
  if (/due to connection timeout|timeout exceeded when trying to connect/i.test(String(message)))
    return RESPONSE_TIMEOUT_CODE;
  if (/Connection terminated|not queryable/i.test(String(message))) return "08006";
  // A pooler such as PgBouncer has this code for all errors, such as a lost server. Postgres adds the routine that failed.
  if (code === "08P01" && routine === undefined) return "08006";
  return String(code ?? "");
}

/** Describes a database error in words that a person can act on. */
export function describeDatabaseError(cause: unknown): string {
  const message = readErrorMessage(cause);
  if (/disk is full|ENOSPC|SQLITE_FULL/i.test(message)) return "the disk is full";
  if (/not a database|malformed|corrupt/i.test(message))
    return "it is not a playtest database, or it is damaged";
  if (/unable to open|EACCES|EPERM|ENOENT|EISDIR|ENOTDIR/i.test(message))
    return `it is not accessible (${message})`;
  if (/readonly|EROFS/i.test(message)) return "it is read-only";
  if (/locked|busy/i.test(message)) return "another process is using it";
  if (/Connection terminated|not queryable/i.test(message)) return "the server ended the connection";
  return message;
}

/** The message of an error. If several addresses of a host were tried, the outer error has no message. */
function readErrorMessage(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === "")
    return cause.errors.map((error) => readErrorMessage(error)).join("; ");
  return cause instanceof Error ? cause.message : String(cause);
}
