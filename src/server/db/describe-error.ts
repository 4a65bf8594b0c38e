/** Describes database errors for operators. */

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
