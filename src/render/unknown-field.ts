/** A requested field does not exist in the body. */
export class UnknownFieldError extends Error {
  override readonly name = "UnknownFieldError";

  constructor(
    message: string,
    /** Lists the available fields. */
    readonly hint: string,
  ) {
    super(message);
  }
}
