/** What engines, and the network before one, say by codes: which faults pass, and which tell that it is not there. */

/** Two transactions crossed: a serialization failure, or a deadlock that the server has broken. */
export const SERIALIZATION_FAILURE_CODES: ReadonlySet<string> = new Set(["40001", "40P01"]);
/** The same, or what is to be made was made by another. */
export const WRITE_CONFLICT_CODES: ReadonlySet<string> = new Set([...SERIALIZATION_FAILURE_CODES, "23505"]);
/** The same for migrations: a table, a column or an index is there by now. */
export const MIGRATION_CONFLICT_CODES: ReadonlySet<string> = new Set([
  ...WRITE_CONFLICT_CODES,
  ...["42P07", "42701", "42710"],
]);
/** The connection was lost or cannot be made: the server was stopped, has died, or has no connections left. */
export const CONNECTION_LOST_CODES: ReadonlySet<string> = new Set([
  ...["57P01", "57P02", "57P03", "53300", "08000", "08003", "08006"],
  ...["ECONNRESET", "ECONNREFUSED", "EPIPE", "ETIMEDOUT"],
]);

/** The code of a connection that owes an answer and says nothing. */
export const RESPONSE_TIMEOUT_CODE = "ESILENT";
/** The database took too long: Postgres has cancelled the statement or the transaction, or says nothing. Tried again, it would take as long. */
const TIMEOUT_CODES: ReadonlySet<string> = new Set(["57014", "25P03", RESPONSE_TIMEOUT_CODE]);
/** Postgres has no room or no memory left, or serves reads alone for now. */
const UNWRITABLE_CODES: ReadonlySet<string> = new Set(["53100", "53200", "25006"]);
/** The same of SQLite, by its primary result codes: held by another, read-only, a fault of the disk, full, not accessible. */
const SQLITE_TRANSIENT_CODES: ReadonlySet<number> = new Set([5, 6, 8, 10, 13, 14]);

/** Whether nothing is wrong with what was asked for: the database was not there, or cannot store just now. */
export function isTransient(error: unknown): boolean {
  const code = getErrorCode(error);
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  // The lowest byte of an extended result code is the primary one (https://sqlite.org/rescode.html).
  return (
    CONNECTION_LOST_CODES.has(code) ||
    TIMEOUT_CODES.has(code) ||
    UNWRITABLE_CODES.has(code) ||
    (typeof errcode === "number" && SQLITE_TRANSIENT_CODES.has(errcode & 0xff))
  );
}

/** The code of a fault, or an empty text. */
export function getErrorCode(error: unknown): string {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  // The driver has no codes of its own for a connection that was waited for in vain, or that ended in the middle.
  if (/due to connection timeout|timeout exceeded when trying to connect/i.test(String(message)))
    return RESPONSE_TIMEOUT_CODE;
  if (/Connection terminated|not queryable/i.test(String(message))) return "08006";
  return String(code ?? "");
}
