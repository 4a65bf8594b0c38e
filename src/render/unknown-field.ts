/** A field was asked for that the body does not have. */
export class UnknownFieldError extends Error {
  override readonly name = "UnknownFieldError";

  constructor(
    message: string,
    /** Which fields there are. */
    readonly hint: string,
  ) {
    super(message);
  }
}
