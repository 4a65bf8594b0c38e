/** Why an export cannot be written, or cannot go on from an earlier one. */

export type ExportErrorCode =
  /** A link, file or folder is in the place of what is to be written. Only the series that goes there is affected. */
  | "path_blocked"
  /** The files or the state that exist are of another export. */
  | "conflict"
  /** Another export is running. */
  | "locked"
  /** A value that the file format cannot hold. */
  | "unsupported_value";

export class ExportError extends Error {
  override readonly name = "ExportError";

  constructor(
    readonly code: ExportErrorCode,
    message: string,
    /** What to do next. */
    readonly hint: string,
  ) {
    super(message);
  }
}
