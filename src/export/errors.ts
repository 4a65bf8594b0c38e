/** Errors of exports, except for those of requests. */

export type ExportErrorCode =
  /** A link, file or folder has the path of a file to write. Only the series of that file is affected. */
  | "path_blocked"
  /** The existing files or the state belong to a different export. */
  | "conflict"
  /** Another export is running. */
  | "locked"
  /** The file format does not support a value. */
  | "unsupported_value";

export class ExportError extends Error {
  override readonly name = "ExportError";

  constructor(
    readonly code: ExportErrorCode,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}
